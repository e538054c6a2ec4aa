// 150 tools of ten MCP servers with realistic names and descriptions. They were written before the tool index existed and are never tuned
// to it.

import type { ToolDefinition } from "../../../src/domain/tool";

/** A line with a server's name, then its tools as `tool(argument: type, optional?) description`. The default type is `string`. */
const TEXT = `
code
  list_repositories(owner, visibility?, page?: integer) List the repositories of an account or organization.
  get_file_contents(repo, path, ref?) Get the contents of a file or directory at a branch, tag or commit.
  search_code(query, repo?, language?) Search source code across repositories.
  create_branch(repo, branch, from_ref?) Create a new branch from a ref.
  list_commits(repo, ref?, author?, since?) List commits of a branch, newest first.
  get_commit(repo, sha) Get one commit with its changed files and patch.
  create_pull_request(repo, title, head, base, body?, draft?: boolean) Open a pull request from a head branch into a base branch.
  list_pull_requests(repo, state?, author?) List pull requests of a repository by state.
  get_pull_request_diff(repo, number: integer) Get the unified diff of a pull request.
  merge_pull_request(repo, number: integer, method?) Merge a pull request by merge, squash or rebase.
  add_review_comment(repo, number: integer, path, line: integer, body) Comment on a line of the diff of a pull request.
  request_reviewers(repo, number: integer, reviewers: array) Request reviews for a pull request from users or teams.
  list_workflow_runs(repo, branch?, status?) List runs of CI workflows.
  get_job_logs(repo, job_id: integer, tail?: integer) Download the logs of a CI job, optionally only the tail of them.
  create_release(repo, tag, name?, notes?) Publish a release for a tag, with notes.
tracker
  create_issue(project, title, description?, assignee?, labels?: array) Create an issue in a project.
  get_issue(key) Get an issue by its key, with description, status and comments.
  update_issue(key, title?, description?, priority?, labels?: array) Update fields of an issue.
  transition_issue(key, status) Move an issue to another status of its workflow.
  assign_issue(key, user) Assign an issue to a user.
  search_issues(query, project?, limit?: integer) Search issues with a query over text and fields.
  add_comment(key, body) Add a comment to an issue.
  link_issues(from, to, relation) Link two issues: blocks, duplicates or relates to.
  log_work(key, minutes: integer, note?) Log time that was spent on an issue.
  list_projects() List all projects one can see.
  list_sprints(board) List sprints of a board, past, active and future.
  move_to_sprint(key, sprint) Move an issue into a sprint or the backlog.
  create_epic(project, title, summary?) Create an epic that groups issues.
  get_board(board) Get columns and work-in-progress limits of a board.
  list_watchers(key) List users who are notified of changes of an issue.
calendar
  list_events(from, to, calendar?) List events of a calendar between two dates.
  create_event(title, start, end, attendees?: array, location?, description?) Create an event and invite attendees.
  update_event(id, start?, end?, title?, location?) Change time, title or place of an event.
  delete_event(id, notify?: boolean) Delete an event, optionally notifying its attendees.
  respond_to_event(id, response) Accept, decline or tentatively accept an invitation.
  find_free_slots(attendees: array, minutes: integer, from, to) Find slots at which all attendees are free.
  get_free_busy(attendees: array, from, to) Get the busy intervals of people.
  list_calendars() List calendars that the user can read.
  create_calendar(name, time_zone?) Create a secondary calendar.
  share_calendar(calendar, user, role) Share a calendar with a person by role.
  list_rooms(building?, capacity?: integer) List meeting rooms with their capacity and equipment.
  book_room(room, event) Reserve a meeting room for an event.
  set_working_hours(days: array, start, end) Set the user's working hours.
  set_out_of_office(from, to, message?) Mark the user as away and decline invitations meanwhile.
  create_reminder(text, at) Create a reminder at a point in time.
mail
  search_messages(query, folder?, limit?: integer) Search messages in the mailbox by sender, subject or text.
  read_message(id) Read a message with its headers and body.
  send_message(to: array, subject, body, cc?: array, attachments?: array) Send an email.
  create_draft(to: array, subject, body) Save a draft of an email without sending it.
  reply_to_message(id, body, all?: boolean) Reply to a message, to its sender or to all.
  forward_message(id, to: array, note?) Forward a message to other recipients.
  archive_message(id) Archive a message: it leaves the inbox.
  delete_message(id) Move a message to the trash.
  mark_as_read(ids: array, read: boolean) Mark messages as read or unread.
  apply_label(id, label) Apply a label to a message.
  list_folders() List folders and labels with the number of unread messages.
  create_filter(from?, subject?, action) Create a rule that files incoming messages.
  download_attachment(message, attachment) Download an attachment of a message.
  get_thread(id) Get all messages of a conversation thread.
  set_signature(text) Set the signature below outgoing messages.
drive
  list_files(folder?, type?, page?: integer) List files of a folder.
  search_files(query, owner?) Full-text search over documents in the drive.
  read_document(id, format?) Read the text of a document as Markdown.
  create_document(title, content, folder?) Create a text document.
  update_document(id, content) Replace the content of a document.
  create_folder(name, parent?) Create a folder.
  move_file(id, folder) Move a file into another folder.
  copy_file(id, name?) Make a copy of a file.
  delete_file(id) Move a file to the bin.
  restore_file(id) Restore a file from the bin.
  share_file(id, user, role, message?) Give a person access to a file as reader, commenter or editor.
  list_permissions(id) List who has access to a file.
  list_revisions(id) List earlier revisions of a file.
  read_sheet_range(id, range) Read cells of a spreadsheet in A1 notation.
  append_sheet_rows(id, sheet, rows: array) Append rows to a sheet of a spreadsheet.
crm
  search_contacts(query, limit?: integer) Find contacts by name, company, phone or address.
  get_contact(id) Get a contact with its properties and history.
  create_contact(name, email?, phone?, company?) Create a contact.
  update_contact(id, properties: object) Update properties of a contact.
  merge_contacts(keep, duplicate) Merge two contacts that are duplicates.
  search_companies(query, industry?) Find companies by name, domain or industry.
  create_company(name, domain?) Create a company record.
  list_deals(stage?, owner?) List deals of the pipeline by stage and owner.
  create_deal(title, company, amount: number, stage?) Create a deal with an amount.
  update_deal_stage(id, stage) Move a deal to another stage of the pipeline.
  log_call(contact, minutes: integer, summary) Record a phone call with a contact.
  create_task(title, due, owner?) Create a follow-up task for a sales representative.
  get_pipeline_report(from, to) Report on won and lost deals and conversion in a period.
  list_segments() List segments of contacts for campaigns.
  add_to_segment(contact, segment) Add a contact to a segment.
database
  list_schemas() List schemas of the database.
  list_tables(schema?) List tables and views of a schema.
  describe_table(table) Describe columns, types, keys and indexes of a table.
  run_query(sql, parameters?: array) Run a read-only SQL statement and return rows.
  execute_statement(sql, parameters?: array) Execute INSERT, UPDATE, DELETE or DDL in a transaction.
  explain_query(sql, analyze?: boolean) Show the execution plan of a statement.
  list_indexes(table) List indexes with size and how often they are scanned.
  suggest_indexes(sql) Suggest indexes that would speed up a statement.
  list_slow_queries(limit?: integer) List statements by total and mean time.
  get_table_size(table) Get the size of a table on disk with its indexes.
  list_locks() List locks that are held and who waits for them.
  kill_session(pid: integer) Terminate a backend session.
  list_migrations() List schema migrations and whether they are applied.
  create_backup(label?) Start a backup of the database.
  list_roles() List roles and what they are granted.
monitor
  query_metrics(expression, from, to, step?) Evaluate an expression over time series.
  list_metrics(prefix?) List names of metrics.
  search_logs(query, from, to, limit?: integer) Search log lines of services in a period.
  get_trace(id) Get the spans of a distributed trace.
  search_traces(service, min_duration?, from, to) Find traces of a service by duration or error.
  list_alerts(state?) List alerts that fire, are pending or are resolved.
  acknowledge_alert(id, note?) Acknowledge an alert, so that nobody else is paged.
  silence_alert(matcher, minutes: integer, comment) Silence matching alerts for a while.
  create_alert_rule(name, expression, threshold: number, severity) Create a rule that alerts when an expression crosses a threshold.
  list_dashboards(tag?) List dashboards.
  get_dashboard(id) Get the panels of a dashboard.
  create_dashboard(title, panels: array) Create a dashboard from panels.
  list_incidents(status?) List incidents and their severity.
  create_incident(title, severity, services?: array) Declare an incident and page who is on call.
  get_on_call(team) Tell who is on call in a team now and next.
billing
  list_customers(email?, limit?: integer) List customers, newest first.
  get_customer(id) Get a customer with payment methods and balance.
  create_customer(email, name?) Create a customer.
  create_invoice(customer, items: array, due_days?: integer) Create a draft invoice from items.
  finalize_invoice(id) Finalize a draft invoice, so that it can be paid.
  void_invoice(id) Void an invoice that was finalized by mistake.
  list_invoices(customer?, status?) List invoices by customer and status: draft, open, paid, overdue.
  refund_payment(payment, amount?: number, reason?) Refund a payment in full or in part.
  list_payments(customer?, from?, to?) List payments and whether they succeeded.
  create_subscription(customer, plan, trial_days?: integer) Subscribe a customer to a plan.
  cancel_subscription(id, at_period_end?: boolean) Cancel a subscription now or at the end of its period.
  change_plan(subscription, plan, prorate?: boolean) Move a subscription to another plan.
  create_coupon(percent_off: number, duration) Create a discount code.
  list_disputes(status?) List chargebacks and when evidence is due.
  get_balance() Get the balance that is available and pending for payout.
team
  list_channels(archived?: boolean) List channels of the workspace.
  post_message(channel, text, thread?) Post a message to a channel or thread.
  send_direct_message(user, text) Send a private message to a person.
  read_channel_history(channel, since?, limit?: integer) Read the latest messages of a channel.
  search_chat(query, channel?, from?) Search what was said in channels.
  add_reaction(message, emoji) React to a message with an emoji.
  create_channel(name, private?: boolean, topic?) Create a channel.
  invite_to_channel(channel, users: array) Invite people to a channel.
  archive_channel(channel) Archive a channel that is no longer used.
  set_topic(channel, topic) Set the topic of a channel.
  pin_message(message) Pin a message to its channel.
  upload_snippet(channel, title, content) Share a file or snippet of text in a channel.
  get_user_profile(user) Get name, title, time zone and status of a person.
  set_status(text, emoji?, until?) Set one's own status text.
  schedule_message(channel, text, at) Schedule a message to be posted later.
`;

const LINE = /^ {2}(?<name>\w+)\((?<args>[^)]*)\) (?<description>.+)$/;
const ARGUMENT = /^(?<name>\w+)(?<optional>\?)?(?:: (?<type>\w+))?$/;

/** Each server with its tools, in the order of the text. */
export const MANY_TOOLS: readonly { server: string; tools: readonly ToolDefinition[] }[] = TEXT.trim()
  .split(/\n(?! )/)
  .map((block) => {
    const [server = "", ...lines] = block.split("\n");
    return { server, tools: lines.map(toolIn) };
  });

function toolIn(line: string): ToolDefinition {
  const { name = "", args = "", description = "" } = LINE.exec(line)?.groups ?? {};
  if (name === "") throw new Error(`Not a tool: ${line}`);
  const read = args.split(", ").filter(Boolean).map(argumentIn);
  return {
    name,
    description,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(read.map((argument) => [argument.name, { type: argument.type }])),
      required: read.filter(({ optional }) => !optional).map((argument) => argument.name),
    },
  };
}

function argumentIn(text: string): { name: string; type: string; optional: boolean } {
  const { name, optional, type = "string" } = ARGUMENT.exec(text)?.groups ?? {};
  if (name === undefined) throw new Error(`Not an argument: ${text}`);
  return { name, type, optional: optional !== undefined };
}
