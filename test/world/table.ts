// The trips of every request: rounds to D1's primary and to its nearest replica, and calls of a Durable Object and of R2. The response
// waits for all of them in sequence. Background work is the same for all requests, and the test in this folder checks it.
// - before: at commit 8403f4e, when every request began at the primary and no caller was cached
// - cold: the isolate has not seen the caller, and the replica is up to date
// - warm: the isolate has just answered the caller
// - lagging: the isolate has not seen the caller, and the replica does not contain the requested resource yet

import type { State } from "./travel";

const LINES = `
GET /metrics                                                                  | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
POST /api/v1/keys                                                             | 4 0 0 0 | 4 0 0 0 | 4 0 0 0 | 4 0 0 0
GET /api/v1/keys                                                              | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/grants                                                            | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
DELETE /api/v1/grants                                                         | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
DELETE /api/v1/grants/{id} of self                                            | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/sessions                                                          | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
DELETE /api/v1/sessions/{id} of self                                          | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
POST /api/v1/keys/{id}/rotate of self                                         | 4 0 0 0 | 4 0 0 0 | 4 0 0 0 | 4 0 0 0
DELETE /api/v1/keys/{id} of self                                              | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
POST /api/v1/sign-ins                                                         | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/me                                                                | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
POST /api/v1/search-index                                                     | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
POST /api/v1/groups                                                           | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/groups                                                            | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/groups/{name} of group                                            | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
PUT /api/v1/groups/{name} of group                                            | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
DELETE /api/v1/groups/{name} of group                                         | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/groups/{name}/members of group                                    | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
PUT /api/v1/groups/{name}/members/{user_id} of group                          | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
DELETE /api/v1/groups/{name}/members/{user_id} of group                       | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
POST /api/v1/conversations                                                    | 4 0 1 0 | 2 0 1 0 | 2 0 1 0 | 2 0 1 0
GET /api/v1/conversations                                                     | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
PUT /api/v1/conversations/{id}                                                | 4 0 1 0 | 2 0 1 0 | 2 0 1 0 | 2 0 1 0
GET /api/v1/conversations/{id} of self                                        | 1 0 1 0 | 0 1 1 0 | 0 0 1 0 | 0 1 1 0
DELETE /api/v1/conversations/{id} of self                                     | 2 0 1 0 | 2 0 1 0 | 2 0 1 0 | 2 0 1 0
GET /api/v1/conversations/{id}/events of self                                 | 1 0 1 0 | 0 1 1 0 | 0 0 1 0 | 0 1 1 0
GET /api/v1/conversations/{id}/at/{turn} of self                              | 1 0 1 0 | 0 1 1 0 | 0 0 1 0 | 0 1 1 0
POST /api/v1/conversations/{id}/turns of self                                 | 1 0 1 0 | 0 1 1 0 | 0 0 1 0 | 0 1 1 0
POST /api/v1/conversations/{id}/tool-calls of self                            | 1 0 1 0 | 0 1 1 0 | 0 0 1 0 | 0 1 1 0
DELETE /api/v1/conversations/{id}/tool-calls/{call_id} of self                | 1 0 1 0 | 1 0 1 0 | 1 0 1 0 | 1 0 1 0
GET /api/v1/conversations/{id}/prompt of self                                 | 1 0 1 0 | 0 1 1 0 | 0 0 1 0 | 0 1 1 0
GET /api/v1/conversations/{id}/tools of self                                  | 1 0 1 0 | 0 1 1 0 | 0 0 1 0 | 0 1 1 0
POST /api/v1/conversations/{id}/restore of self                               | 1 0 1 0 | 0 1 1 0 | 0 0 1 0 | 0 1 1 0
GET /api/v1/conversations/{id}/files of self                                  | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/conversations/{id}/files/{file_id} of self                        | 2 0 0 1 | 2 0 0 1 | 2 0 0 1 | 2 0 0 1
DELETE /api/v1/conversations/{id}/files/{file_id} of self                     | 3 0 0 1 | 3 0 0 1 | 3 0 0 1 | 3 0 0 1
POST /api/v1/conversations/{id}/requests of self                              | 1 0 1 0 | 0 1 1 0 | 0 0 1 0 | 0 1 1 0
GET /api/v1/conversations/{id}/requests of self                               | 1 0 1 0 | 0 1 1 0 | 0 0 1 0 | 0 1 1 0
GET /api/v1/conversations/{id}/requests/{request_id} of self                  | 1 0 1 0 | 0 1 1 0 | 0 0 1 0 | 0 1 1 0
DELETE /api/v1/conversations/{id}/requests/{request_id} of self               | 1 0 1 0 | 1 0 1 0 | 1 0 1 0 | 1 0 1 0
POST /api/v1/conversations/{id}/requests/{request_id}/response of self        | 1 0 1 0 | 0 1 1 0 | 0 0 1 0 | 0 1 1 0
POST /api/v1/conversations/{id}/tickets                                       | 2 0 1 0 | 2 0 1 0 | 2 0 1 0 | 2 0 1 0
GET /api/v1/conversations/{id}/socket of self                                 | 1 0 1 0 | 1 0 1 0 | 1 0 1 0 | 1 0 1 0
GET /api/tasks/{id}/skills of self                                            | 2 0 1 0 | 0 1 1 0 | 0 0 1 0 | 0 1 1 0
GET /api/v1/kinds/skills                                                      | 3 0 0 0 | 0 3 0 0 | 0 2 0 0 | 0 3 0 0
GET /api/v1/kinds/skills (2)                                                  | 4 0 0 0 | 0 4 0 0 | 0 3 0 0 | 0 4 0 0
GET /api/v1/kinds/skills/unified                                              | 2 0 0 0 | 0 2 0 0 | 0 1 0 0 | 0 2 0 0
GET /api/v1/kinds/skills/usage                                                | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/kinds/skills/public/list                                          | 2 0 0 0 | 0 2 0 0 | 0 1 0 0 | 0 2 0 0
POST /api/v1/kinds/skills/validate                                            | 1 0 0 0 | 1 0 0 0 | 1 0 0 0 | 1 0 0 0
POST /api/v1/kinds/skills/upload                                              | 4 0 0 1 | 3 0 0 1 | 3 0 0 1 | 3 0 0 1
POST /api/v1/kinds/skills/upload of group                                     | 4 0 0 1 | 3 0 0 1 | 3 0 0 1 | 3 0 0 1
POST /api/v1/kinds/skills/public                                              | 4 0 0 1 | 3 0 0 1 | 3 0 0 1 | 3 0 0 1
POST /api/v1/kinds/skills/invoke of self                                      | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
POST /api/v1/kinds/skills/invoke of group                                     | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
POST /api/v1/kinds/skills/invoke of public                                    | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/kinds/skills/{id} of self                                         | 2 0 0 0 | 0 2 0 0 | 0 1 0 0 | 2 2 0 0
GET /api/v1/kinds/skills/{id} of group                                        | 2 0 0 0 | 0 2 0 0 | 0 1 0 0 | 2 2 0 0
GET /api/v1/kinds/skills/{id} of public                                       | 2 0 0 0 | 0 2 0 0 | 0 1 0 0 | 2 2 0 0
PUT /api/v1/kinds/skills/{id} of self                                         | 5 0 0 1 | 4 0 0 1 | 4 0 0 1 | 4 0 0 1
PUT /api/v1/kinds/skills/{id} of group                                        | 5 0 0 1 | 4 0 0 1 | 4 0 0 1 | 4 0 0 1
PUT /api/v1/kinds/skills/{id} of public                                       | 5 0 0 1 | 4 0 0 1 | 4 0 0 1 | 4 0 0 1
DELETE /api/v1/kinds/skills/{id} of self                                      | 3 0 0 1 | 3 0 0 1 | 3 0 0 1 | 3 0 0 1
DELETE /api/v1/kinds/skills/{id} of group                                     | 3 0 0 1 | 3 0 0 1 | 3 0 0 1 | 3 0 0 1
DELETE /api/v1/kinds/skills/{id} of public                                    | 3 0 0 1 | 3 0 0 1 | 3 0 0 1 | 3 0 0 1
GET /api/v1/kinds/skills/{id}/download of self                                | 2 0 0 1 | 0 2 0 1 | 0 1 0 1 | 2 3 0 1
GET /api/v1/kinds/skills/{id}/download of group                               | 2 0 0 1 | 0 2 0 1 | 0 1 0 1 | 2 3 0 1
GET /api/v1/kinds/skills/{id}/download of public                              | 2 0 0 1 | 0 2 0 1 | 0 1 0 1 | 2 3 0 1
GET /api/v1/kinds/skills/{id}/files of self                                   | 2 0 0 0 | 0 2 0 0 | 0 1 0 0 | 2 3 0 0
GET /api/v1/kinds/skills/{id}/files of group                                  | 2 0 0 0 | 0 2 0 0 | 0 1 0 0 | 2 3 0 0
GET /api/v1/kinds/skills/{id}/files of public                                 | 2 0 0 0 | 0 2 0 0 | 0 1 0 0 | 2 3 0 0
GET /api/v1/kinds/skills/{id}/files/{path} of self                            | 2 0 0 1 | 0 2 0 1 | 0 1 0 1 | 2 3 0 1
GET /api/v1/kinds/skills/{id}/files/{path} of group                           | 2 0 0 1 | 0 2 0 1 | 0 1 0 1 | 2 3 0 1
GET /api/v1/kinds/skills/{id}/files/{path} of public                          | 2 0 0 1 | 0 2 0 1 | 0 1 0 1 | 2 3 0 1
GET /api/v1/kinds/skills/{id}/references of self                              | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/kinds/skills/{id}/references of group                             | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/kinds/skills/{id}/references of public                            | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
POST /api/v1/kinds/skills/{id}/remove-references of self                      | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
POST /api/v1/kinds/skills/{id}/remove-references of group                     | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
POST /api/v1/kinds/skills/{id}/remove-references of public                    | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
POST /api/v1/kinds/skills/{id}/remove-reference/{ghost_id} of self            | 4 0 0 0 | 4 0 0 0 | 4 0 0 0 | 4 0 0 0
POST /api/v1/kinds/skills/{id}/remove-reference/{ghost_id} of group           | 4 0 0 0 | 4 0 0 0 | 4 0 0 0 | 4 0 0 0
POST /api/v1/kinds/skills/{id}/remove-reference/{ghost_id} of public          | 4 0 0 0 | 4 0 0 0 | 4 0 0 0 | 4 0 0 0
POST /api/v1/kinds/skills/public/upload                                       | 4 0 0 1 | 3 0 0 1 | 3 0 0 1 | 3 0 0 1
PUT /api/v1/kinds/skills/public/{id}/upload of public                         | 5 0 0 1 | 4 0 0 1 | 4 0 0 1 | 4 0 0 1
DELETE /api/v1/kinds/skills/public/{id} of public                             | 4 0 0 1 | 4 0 0 1 | 4 0 0 1 | 4 0 0 1
GET /api/v1/kinds/skills/public/{id}/download of public                       | 2 0 0 1 | 0 2 0 1 | 0 1 0 1 | 2 3 0 1
GET /api/v1/kinds/skills/public/{id}/content of public                        | 2 0 0 1 | 0 2 0 1 | 0 1 0 1 | 2 3 0 1
GET /api/v1/kinds/skills/{id}/versions of self                                | 3 0 0 0 | 0 3 0 0 | 0 2 0 0 | 3 2 0 0
GET /api/v1/kinds/skills/{id}/versions of group                               | 3 0 0 0 | 0 3 0 0 | 0 2 0 0 | 3 2 0 0
GET /api/v1/kinds/skills/{id}/versions of public                              | 3 0 0 0 | 0 3 0 0 | 0 2 0 0 | 3 2 0 0
GET /api/v1/kinds/skills/{id}/usage of self                                   | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/kinds/skills/{id}/usage of group                                  | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/kinds/skills/{id}/usage of public                                 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
POST /api/v1/kinds/skills/{id}/versions/{version_id}/activate of self         | 4 0 0 0 | 4 0 0 0 | 4 0 0 0 | 4 0 0 0
POST /api/v1/kinds/skills/{id}/versions/{version_id}/activate of group        | 4 0 0 0 | 4 0 0 0 | 4 0 0 0 | 4 0 0 0
POST /api/v1/kinds/skills/{id}/versions/{version_id}/activate of public       | 4 0 0 0 | 4 0 0 0 | 4 0 0 0 | 4 0 0 0
POST /api/v1/kinds/skills/{id}/versions/{version_id}/yank of self             | 6 0 0 0 | 6 0 0 0 | 6 0 0 0 | 6 0 0 0
POST /api/v1/kinds/skills/{id}/versions/{version_id}/yank of group            | 6 0 0 0 | 6 0 0 0 | 6 0 0 0 | 6 0 0 0
POST /api/v1/kinds/skills/{id}/versions/{version_id}/yank of public           | 6 0 0 0 | 6 0 0 0 | 6 0 0 0 | 6 0 0 0
POST /api/v1/kinds/skills/{id}/versions/{version_id}/unyank of self           | 4 0 0 0 | 4 0 0 0 | 4 0 0 0 | 4 0 0 0
POST /api/v1/kinds/skills/{id}/versions/{version_id}/unyank of group          | 4 0 0 0 | 4 0 0 0 | 4 0 0 0 | 4 0 0 0
POST /api/v1/kinds/skills/{id}/versions/{version_id}/unyank of public         | 4 0 0 0 | 4 0 0 0 | 4 0 0 0 | 4 0 0 0
POST /api/v1/kinds/skills/{id}/share of group                                 | 5 0 0 1 | 4 0 0 1 | 4 0 0 1 | 4 0 0 1
GET /api/v1/secrets                                                           | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/secrets/{name} of self                                            | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/secrets/{name} of group                                           | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/secrets/{name} of public                                          | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
PUT /api/v1/secrets/{name} of group                                           | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
PUT /api/v1/secrets/{name} of public                                          | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
PUT /api/v1/secrets/{name}                                                    | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
DELETE /api/v1/secrets/{name} of self                                         | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
DELETE /api/v1/secrets/{name} of group                                        | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
DELETE /api/v1/secrets/{name} of public                                       | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/models                                                            | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/models/{name} of self                                             | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/models/{name} of group                                            | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/models/{name} of public                                           | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
PUT /api/v1/models/{name} of group                                            | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
PUT /api/v1/models/{name} of public                                           | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
PUT /api/v1/models/{name}                                                     | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
DELETE /api/v1/models/{name} of self                                          | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
DELETE /api/v1/models/{name} of group                                         | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
DELETE /api/v1/models/{name} of public                                        | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
POST /api/v1/secrets/rotate                                                   | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/audit                                                             | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/executor                                                          | 1 0 0 0 | 1 0 0 0 | 1 0 0 0 | 1 0 0 0
GET /api/v1/users/{id}/export                                                 | 5 0 0 0 | 5 0 0 0 | 5 0 0 0 | 5 0 0 0
DELETE /api/v1/users/{id}                                                     | 8 0 0 0 | 8 0 0 0 | 8 0 0 0 | 8 0 0 0
POST /api/v1/kinds/ghosts                                                     | 4 0 0 0 | 4 0 0 0 | 4 0 0 0 | 4 0 0 0
GET /api/v1/kinds/ghosts                                                      | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
PUT /api/v1/kinds/ghosts/by-name/{namespace}/{name}                           | 5 0 0 0 | 5 0 0 0 | 5 0 0 0 | 5 0 0 0
POST /api/v1/kinds/ghosts of group                                            | 4 0 0 0 | 4 0 0 0 | 4 0 0 0 | 4 0 0 0
POST /api/v1/kinds/ghosts of public                                           | 4 0 0 0 | 4 0 0 0 | 4 0 0 0 | 4 0 0 0
PUT /api/v1/kinds/ghosts/by-name/{namespace}/{name} of group                  | 6 0 0 0 | 6 0 0 0 | 6 0 0 0 | 6 0 0 0
PUT /api/v1/kinds/ghosts/by-name/{namespace}/{name} of public                 | 5 0 0 0 | 5 0 0 0 | 5 0 0 0 | 5 0 0 0
GET /api/v1/kinds/ghosts/{id} of self                                         | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/kinds/ghosts/{id} of group                                        | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/kinds/ghosts/{id} of public                                       | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
PUT /api/v1/kinds/ghosts/{id} of self                                         | 4 0 0 0 | 4 0 0 0 | 4 0 0 0 | 4 0 0 0
PUT /api/v1/kinds/ghosts/{id} of group                                        | 4 0 0 0 | 4 0 0 0 | 4 0 0 0 | 4 0 0 0
PUT /api/v1/kinds/ghosts/{id} of public                                       | 4 0 0 0 | 4 0 0 0 | 4 0 0 0 | 4 0 0 0
DELETE /api/v1/kinds/ghosts/{id} of self                                      | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
DELETE /api/v1/kinds/ghosts/{id} of group                                     | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
DELETE /api/v1/kinds/ghosts/{id} of public                                    | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/kinds/skills/drafts                                               | 2 0 0 0 | 0 2 0 0 | 0 1 0 0 | 0 2 0 0
PUT /api/v1/kinds/skills/drafts/{name}                                        | 4 0 0 1 | 4 0 0 1 | 4 0 0 1 | 4 0 0 1
DELETE /api/v1/kinds/skills/drafts/{name} of self                             | 3 0 0 1 | 3 0 0 1 | 3 0 0 1 | 3 0 0 1
POST /api/v1/kinds/skills/drafts/{name}/promote of self                       | 4 0 0 2 | 4 0 0 2 | 4 0 0 2 | 4 0 0 2
GET /api/v1/reviews                                                           | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
POST /api/v1/reviews of self                                                  | 4 0 0 0 | 4 0 0 0 | 4 0 0 0 | 4 0 0 0
GET /api/v1/reviews/{id} of group                                             | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/reviews/{id}/download of group                                    | 3 0 0 1 | 3 0 0 1 | 3 0 0 1 | 3 0 0 1
POST /api/v1/reviews/{id}/comments of group                                   | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
POST /api/v1/reviews/{id}/decision of group                                   | 6 0 0 2 | 6 0 0 2 | 6 0 0 2 | 6 0 0 2
POST /api/v1/reviews/{id}/withdraw of group                                   | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/links                                                             | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
POST /api/v1/links                                                            | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
DELETE /api/v1/links/{id} of self                                             | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/open-skills                                                       | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
PUT /api/v1/open-skills/{id}                                                  | 5 0 0 0 | 5 0 0 0 | 5 0 0 0 | 5 0 0 0
DELETE /api/v1/open-skills/{id}                                               | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
PUT /api/v1/kinds/skills/{id}/versions/{version_id}/verdict                   | 4 0 0 0 | 4 0 0 0 | 4 0 0 0 | 4 0 0 0
GET /api/v1/imports                                                           | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
POST /api/v1/imports                                                          | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/imports/{id} of self                                              | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
POST /api/v1/imports/{id}/cancel of self                                      | 4 0 0 1 | 4 0 0 1 | 4 0 0 1 | 4 0 0 1
DELETE /api/v1/imports/{id} of self                                           | 3 0 0 1 | 3 0 0 1 | 3 0 0 1 | 3 0 0 1
GET /api/v1/kinds/skills/{id}/versions/{version_id}/files of self             | 2 0 0 0 | 0 2 0 0 | 0 1 0 0 | 2 3 0 0
GET /api/v1/kinds/skills/{id}/versions/{version_id}/files of group            | 2 0 0 0 | 0 2 0 0 | 0 1 0 0 | 2 3 0 0
GET /api/v1/kinds/skills/{id}/versions/{version_id}/files of public           | 2 0 0 0 | 0 2 0 0 | 0 1 0 0 | 2 3 0 0
GET /api/v1/kinds/skills/{id}/versions/{version_id}/files/{path} of self      | 2 0 0 1 | 0 2 0 1 | 0 1 0 1 | 2 3 0 1
GET /api/v1/kinds/skills/{id}/versions/{version_id}/files/{path} of group     | 2 0 0 1 | 0 2 0 1 | 0 1 0 1 | 2 3 0 1
GET /api/v1/kinds/skills/{id}/versions/{version_id}/files/{path} of public    | 2 0 0 1 | 0 2 0 1 | 0 1 0 1 | 2 3 0 1
GET /api/v1/kinds/skills/{id}/versions/{version_id}/permissions of self       | 2 0 0 0 | 0 2 0 0 | 0 1 0 0 | 2 3 0 0
GET /api/v1/kinds/skills/{id}/versions/{version_id}/permissions of group      | 2 0 0 0 | 0 2 0 0 | 0 1 0 0 | 2 3 0 0
GET /api/v1/kinds/skills/{id}/versions/{version_id}/permissions of public     | 2 0 0 0 | 0 2 0 0 | 0 1 0 0 | 2 3 0 0
GET /api/v1/kinds/skills/{id}/versions/{version_id}/attestation of self       | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/kinds/skills/{id}/versions/{version_id}/attestation of group      | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/kinds/skills/{id}/versions/{version_id}/attestation of public     | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
POST /api/v1/kinds/ghosts/preview                                             | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/kinds/ghosts/{id}/predictions of self                             | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/kinds/ghosts/{id}/predictions of group                            | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/kinds/ghosts/{id}/predictions of public                           | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/insights/overview                                                 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/insights/skills                                                   | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/insights/unused                                                   | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/insights/services                                                 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/insights/versions of self                                         | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/insights/versions of group                                        | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/insights/versions of public                                       | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/kinds/skills/{id}/evals of self                                   | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/kinds/skills/{id}/evals of group                                  | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/kinds/skills/{id}/evals of public                                 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/kinds/skills/{id}/evals/{run_id} of self                          | 4 0 0 0 | 4 0 0 0 | 4 0 0 0 | 4 0 0 0
GET /api/v1/kinds/skills/{id}/evals/{run_id} of group                         | 4 0 0 0 | 4 0 0 0 | 4 0 0 0 | 4 0 0 0
GET /api/v1/kinds/skills/{id}/evals/{run_id} of public                        | 4 0 0 0 | 4 0 0 0 | 4 0 0 0 | 4 0 0 0
POST /api/v1/kinds/skills/{id}/evals of self                                  | 4 0 0 0 | 4 0 0 0 | 4 0 0 0 | 4 0 0 0
POST /api/v1/kinds/skills/{id}/evals of group                                 | 4 0 0 0 | 4 0 0 0 | 4 0 0 0 | 4 0 0 0
POST /api/v1/kinds/skills/{id}/evals of public                                | 4 0 0 0 | 4 0 0 0 | 4 0 0 0 | 4 0 0 0
GET /api/v1/kinds/skills/{id}/rollout of self                                 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/kinds/skills/{id}/rollout of group                                | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/kinds/skills/{id}/rollout of public                               | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
PUT /api/v1/kinds/skills/{id}/rollout of self                                 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
PUT /api/v1/kinds/skills/{id}/rollout of group                                | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
PUT /api/v1/kinds/skills/{id}/rollout of public                               | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
POST /api/v1/kinds/skills/{id}/rollout/promote of self                        | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
POST /api/v1/kinds/skills/{id}/rollout/promote of group                       | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
POST /api/v1/kinds/skills/{id}/rollout/promote of public                      | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
DELETE /api/v1/kinds/skills/{id}/rollout of self                              | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
DELETE /api/v1/kinds/skills/{id}/rollout of group                             | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
DELETE /api/v1/kinds/skills/{id}/rollout of public                            | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/insights/searches                                                 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/users                                                             | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/conversations/{id}/series of self                                 | 1 0 1 0 | 0 1 1 0 | 0 0 1 0 | 0 1 1 0
GET /api/v1/conversations/{id}/feedback of self                               | 1 0 1 0 | 1 0 1 0 | 1 0 1 0 | 1 0 1 0
POST /api/v1/conversations/{id}/feedback of self                              | 1 0 1 0 | 1 0 1 0 | 1 0 1 0 | 1 0 1 0
GET /api/v1/kinds/skills/{id}/network of self                                 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/kinds/skills/{id}/network of group                                | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/kinds/skills/{id}/network of public                               | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
PUT /api/v1/kinds/skills/{id}/network of self                                 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
PUT /api/v1/kinds/skills/{id}/network of group                                | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
PUT /api/v1/kinds/skills/{id}/network of public                               | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
PUT /api/v1/kinds/skills/{id}/env of public                                   | 4 0 0 0 | 4 0 0 0 | 4 0 0 0 | 4 0 0 0
DELETE /api/v1/kinds/skills/{id}/env of public                                | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/me/skill-env                                                      | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/me/skill-env/{skill} of self                                      | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/me/skill-env/{skill} of group                                     | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/me/skill-env/{skill} of public                                    | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
PUT /api/v1/me/skill-env/{skill} of self                                      | 4 0 0 0 | 4 0 0 0 | 4 0 0 0 | 4 0 0 0
PUT /api/v1/me/skill-env/{skill} of group                                     | 4 0 0 0 | 4 0 0 0 | 4 0 0 0 | 4 0 0 0
PUT /api/v1/me/skill-env/{skill} of public                                    | 4 0 0 0 | 4 0 0 0 | 4 0 0 0 | 4 0 0 0
DELETE /api/v1/me/skill-env/{skill} of self                                   | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/publishers                                                        | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/publishers/{name} of self                                         | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/publishers/{name} of group                                        | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/publishers/{name} of public                                       | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
PUT /api/v1/publishers/{name} of group                                        | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
PUT /api/v1/publishers/{name} of public                                       | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
PUT /api/v1/publishers/{name}                                                 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
DELETE /api/v1/publishers/{name} of self                                      | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
DELETE /api/v1/publishers/{name} of group                                     | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
DELETE /api/v1/publishers/{name} of public                                    | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/kinds/skills/{id}/ratings of self                                 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/kinds/skills/{id}/ratings of group                                | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/kinds/skills/{id}/ratings of public                               | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
PUT /api/v1/kinds/skills/{id}/ratings/own of group                            | 5 0 0 0 | 5 0 0 0 | 5 0 0 0 | 5 0 0 0
PUT /api/v1/kinds/skills/{id}/ratings/own of public                           | 5 0 0 0 | 5 0 0 0 | 5 0 0 0 | 5 0 0 0
DELETE /api/v1/kinds/skills/{id}/ratings/own of group                         | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
DELETE /api/v1/kinds/skills/{id}/ratings/own of public                        | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
PUT /api/v1/kinds/skills/{id}/ratings/{rating_id}/answer of group             | 5 0 0 0 | 5 0 0 0 | 5 0 0 0 | 5 0 0 0
PUT /api/v1/kinds/skills/{id}/ratings/{rating_id}/answer of public            | 5 0 0 0 | 5 0 0 0 | 5 0 0 0 | 5 0 0 0
PUT /api/v1/kinds/skills/{id}/ratings/{rating_id}/hidden of public            | 5 0 0 0 | 5 0 0 0 | 5 0 0 0 | 5 0 0 0
POST /api/v1/kinds/skills/{id}/reports of self                                | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
POST /api/v1/kinds/skills/{id}/reports of group                               | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
POST /api/v1/kinds/skills/{id}/reports of public                              | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/reports                                                           | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
PUT /api/v1/reports/{id}/decision                                             | 4 0 0 0 | 4 0 0 0 | 4 0 0 0 | 4 0 0 0
GET /api/v1/mcp-servers                                                       | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/mcp-servers/{name} of public                                      | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
PUT /api/v1/mcp-servers/{name} of public                                      | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
DELETE /api/v1/mcp-servers/{name} of public                                   | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
POST /api/v1/mcp-servers/{name}/test of public                                | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
POST /api/v1/mcp-servers/{name}/approve of public                             | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/mcp-servers/{name}/skills of public                               | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
POST /api/v1/mcp-servers/{name}/skills of public                              | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
POST /api/v1/mcp-servers/{name}/connect of public                             | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/connections                                                       | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
POST /api/v1/connections/{id}/confirm of self                                 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
DELETE /api/v1/connections/{id} of self                                       | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/me/servers                                                        | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/server-catalog                                                    | 1 0 0 0 | 1 0 0 0 | 1 0 0 0 | 1 0 0 0
GET /api/v1/servers                                                           | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/servers/{name} of self                                            | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/servers/{name} of group                                           | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
PUT /api/v1/servers/{name} of group                                           | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
DELETE /api/v1/servers/{name} of self                                         | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
DELETE /api/v1/servers/{name} of group                                        | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
POST /api/v1/servers/{name}/test of self                                      | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
POST /api/v1/servers/{name}/test of group                                     | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/webhooks                                                          | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/events                                                            | 3 0 0 0 | 3 0 0 0 | 3 0 0 0 | 3 0 0 0
GET /api/v1/webhooks/{name} of self                                           | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/webhooks/{name} of group                                          | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/webhooks/{name} of public                                         | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
PUT /api/v1/webhooks/{name} of group                                          | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
PUT /api/v1/webhooks/{name} of public                                         | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
DELETE /api/v1/webhooks/{name} of self                                        | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
DELETE /api/v1/webhooks/{name} of group                                       | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
DELETE /api/v1/webhooks/{name} of public                                      | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
POST /api/v1/webhooks/{name}/rotate of self                                   | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
POST /api/v1/webhooks/{name}/rotate of group                                  | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
POST /api/v1/webhooks/{name}/rotate of public                                 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
POST /api/v1/webhooks/{name}/test of self                                     | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
POST /api/v1/webhooks/{name}/test of group                                    | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
POST /api/v1/webhooks/{name}/test of public                                   | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/webhooks/{name}/deliveries of self                                | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/webhooks/{name}/deliveries of group                               | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/webhooks/{name}/deliveries of public                              | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
POST /api/v1/webhooks/{name}/deliveries/{id}/resend of self                   | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
POST /api/v1/webhooks/{name}/deliveries/{id}/resend of group                  | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
POST /api/v1/webhooks/{name}/deliveries/{id}/resend of public                 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
GET /api/v1/oauth-clients                                                     | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
PUT /api/v1/oauth-clients/{name} of public                                    | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
DELETE /api/v1/oauth-clients/{name} of public                                 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0 | 2 0 0 0
POST /mcp initialize                                                          | 1 0 0 0 | 0 2 0 0 | 0 0 0 0 | 0 1 0 0
POST /mcp ping                                                                | 1 0 0 0 | 0 1 0 0 | 0 0 0 0 | 0 1 0 0
POST /mcp tools/list                                                          | 1 0 0 0 | 0 2 0 0 | 0 0 0 0 | 0 1 0 0
POST /mcp resources/list                                                      | 2 0 0 0 | 0 3 0 0 | 0 1 0 0 | 0 2 0 0
POST /mcp resources/templates/list                                            | 1 0 0 0 | 0 1 0 0 | 0 0 0 0 | 0 1 0 0
POST /mcp skills/list                                                         | 2 0 0 0 | 0 3 0 0 | 0 1 0 0 | 0 2 0 0
POST /mcp tools/call of self                                                  | 4 0 0 0 | 0 3 0 0 | 0 0 0 0 | 0 2 0 0
POST /mcp resources/read of self                                              | 4 0 0 1 | 0 3 0 1 | 0 1 0 1 | 3 2 0 1
POST /mcp skills/get of self                                                  | 4 0 0 0 | 0 3 0 0 | 0 1 0 0 | 3 2 0 0
POST /mcp resources/directory/read of self                                    | 4 0 0 0 | 0 3 0 0 | 0 1 0 0 | 3 2 0 0
POST /mcp tools/call of group                                                 | 4 0 0 0 | 0 3 0 0 | 0 0 0 0 | 0 2 0 0
POST /mcp resources/read of group                                             | 4 0 0 1 | 0 3 0 1 | 0 1 0 1 | 3 2 0 1
POST /mcp skills/get of group                                                 | 4 0 0 0 | 0 3 0 0 | 0 1 0 0 | 3 2 0 0
POST /mcp resources/directory/read of group                                   | 4 0 0 0 | 0 3 0 0 | 0 1 0 0 | 3 2 0 0
POST /mcp tools/call of public                                                | 4 0 0 0 | 0 3 0 0 | 0 0 0 0 | 0 1 0 0
POST /mcp resources/read of public                                            | 4 0 0 1 | 0 3 0 1 | 0 1 0 1 | 3 2 0 1
POST /mcp skills/get of public                                                | 4 0 0 0 | 0 3 0 0 | 0 1 0 0 | 3 2 0 0
POST /mcp resources/directory/read of public                                  | 4 0 0 0 | 0 3 0 0 | 0 1 0 0 | 3 2 0 0
POST /mcp/{id} initialize                                                     | 1 0 1 0 | 1 1 1 0 | 1 0 1 0 | 1 1 1 0
POST /mcp/{id} tools/list                                                     | 1 0 1 0 | 1 1 1 0 | 1 0 1 0 | 1 1 1 0
POST /mcp/{id} prompts/list                                                   | 1 0 1 0 | 1 1 1 0 | 1 0 1 0 | 1 1 1 0
POST /mcp/{id} logging/setLevel                                               | 1 0 1 0 | 1 1 1 0 | 1 0 1 0 | 1 1 1 0
POST /api/v1/conversations/{id}/turns first of self                           | 4 0 1 0 | 1 1 1 0 | 1 0 1 0 | 1 1 1 0
POST /api/v1/conversations/{id}/turns later of self                           | 1 0 1 0 | 0 1 1 0 | 0 0 1 0 | 0 1 1 0
POST /api/v1/conversations/{id}/turns later, with a skill of self             | 1 0 1 0 | 0 1 1 0 | 0 0 1 0 | 0 1 1 0
POST /api/v1/conversations/{id}/turns after a publish of self                 | 3 0 1 0 | 0 2 1 0 | 0 1 1 0 | 0 1 1 0
POST /api/v1/conversations/{id}/tool-calls load_skill of self                 | 3 0 1 0 | 0 2 1 0 | 0 1 1 0 | 1 2 1 0
POST /api/v1/conversations/{id}/tool-calls load_skill again of self           | 1 0 1 0 | 0 1 1 0 | 0 0 1 0 | 0 1 1 0
POST /api/v1/conversations/{id}/tool-calls load_skill after a publish of self | 5 0 1 0 | 0 2 1 0 | 0 1 1 0 | 1 2 1 0
POST /api/v1/conversations/{id}/tool-calls read_skill of self                 | 1 0 1 1 | 0 1 1 1 | 0 0 1 1 | 0 1 1 1
POST /api/v1/conversations/{id}/tool-calls find_skill of self                 | 3 0 1 0 | 0 2 1 0 | 0 1 1 0 | 1 1 1 0
POST /api/v1/conversations/{id}/tool-calls own tool of self                   | 1 0 1 0 | 0 1 1 0 | 0 0 1 0 | 0 1 1 0
POST /api/v1/conversations/{id}/tool-calls of nobody here of self             | 1 0 1 0 | 0 1 1 0 | 0 0 1 0 | 0 1 1 0
POST /mcp/{id} tools/call of self                                             | 3 0 1 0 | 0 2 1 0 | 0 1 1 0 | 1 2 1 0
POST /mcp/servers/{name} initialize of public                                 | 2 0 0 0 | 0 2 0 0 | 0 1 0 0 | 2 2 0 0
`;

/** The ways of a request, each as `primary replica object r2`. */
export type Ways = Record<"before" | State, string>;

export const TABLE: ReadonlyMap<string, Ways> = new Map(
  LINES.trim()
    .split("\n")
    .map((line) => {
      const [name = "", before = "", cold = "", warm = "", lagging = ""] = line.split("|").map((part) => part.trim());
      return [name, { before, cold, warm, lagging }];
    }),
);
