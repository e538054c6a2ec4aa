CREATE TABLE `console_sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`user_id` text NOT NULL,
	`name` text,
	`role` text NOT NULL,
	`scopes` text NOT NULL,
	`via` text NOT NULL,
	`key_id` text,
	`mark` text,
	`claimed` text NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`last_used_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `console_sessions_user` ON `console_sessions` (`user_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `console_sessions_created` ON `console_sessions` (`created_at`);--> statement-breakpoint
CREATE INDEX `console_sessions_expiry` ON `console_sessions` (`expires_at`);--> statement-breakpoint
ALTER TABLE `conversations` ADD `title` text;--> statement-breakpoint
ALTER TABLE `sign_in_links` ADD `session` text;--> statement-breakpoint
ALTER TABLE `sign_ins` ADD `purpose` text DEFAULT 'consent' NOT NULL;