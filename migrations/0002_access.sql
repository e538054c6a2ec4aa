CREATE TABLE `audit` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`actor` text NOT NULL,
	`key_id` text NOT NULL,
	`action` text NOT NULL,
	`resource_type` text NOT NULL,
	`resource_id` text NOT NULL,
	`request_id` text NOT NULL,
	`before` text,
	`after` text
);
--> statement-breakpoint
CREATE INDEX `audit_actor` ON `audit` (`actor`,`seq`);--> statement-breakpoint
CREATE INDEX `audit_action` ON `audit` (`action`,`seq`);--> statement-breakpoint
CREATE INDEX `audit_resource` ON `audit` (`resource_type`,`resource_id`,`seq`);--> statement-breakpoint
CREATE TABLE `group_members` (
	`group_name` text NOT NULL,
	`user_id` text NOT NULL,
	`role` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	PRIMARY KEY(`group_name`, `user_id`),
	FOREIGN KEY (`group_name`) REFERENCES `groups`(`name`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `group_members_user` ON `group_members` (`user_id`);--> statement-breakpoint
CREATE TABLE `groups` (
	`name` text PRIMARY KEY NOT NULL,
	`folded` text NOT NULL,
	`display_name` text,
	`created_by` text NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `groups_folded_unique` ON `groups` (`folded`);--> statement-breakpoint
CREATE TABLE `mcp_servers` (
	`name` text PRIMARY KEY NOT NULL,
	`entry` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL
);
--> statement-breakpoint
CREATE TABLE `pseudonyms` (
	`user_id` text PRIMARY KEY NOT NULL,
	`pseudonym` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `pseudonyms_pseudonym_unique` ON `pseudonyms` (`pseudonym`);--> statement-breakpoint
CREATE TABLE `secrets` (
	`id` text PRIMARY KEY NOT NULL,
	`scope` text NOT NULL,
	`name` text NOT NULL,
	`hosts` text NOT NULL,
	`key_id` text NOT NULL,
	`iv` text NOT NULL,
	`ciphertext` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`last_used_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `secrets_scope_name` ON `secrets` (`scope`,`name`);--> statement-breakpoint
CREATE INDEX `secrets_key` ON `secrets` (`key_id`);--> statement-breakpoint
CREATE TABLE `usage` (
	`subject` text NOT NULL,
	`kind` text NOT NULL,
	`window_start` integer NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`subject`, `kind`, `window_start`)
);
--> statement-breakpoint
CREATE INDEX `usage_window` ON `usage` (`window_start`);--> statement-breakpoint
ALTER TABLE `keys` ADD `last_used_at` integer;--> statement-breakpoint
ALTER TABLE `keys` ADD `replaces` text;--> statement-breakpoint
CREATE INDEX `keys_user` ON `keys` (`user_id`);--> statement-breakpoint
-- By hand, since drizzle-kit knows no triggers: the audit log is only ever added to.
CREATE TRIGGER `audit_no_update` BEFORE UPDATE ON `audit` BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;--> statement-breakpoint
CREATE TRIGGER `audit_no_delete` BEFORE DELETE ON `audit` BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
