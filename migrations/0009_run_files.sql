CREATE TABLE `run_files` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`conversation` text NOT NULL,
	`object` text NOT NULL,
	`path` text NOT NULL,
	`size` integer NOT NULL,
	`created_at` integer NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `run_files_user` ON `run_files` (`user_id`,`conversation`,`created_at`,`id`,`size`);--> statement-breakpoint
CREATE INDEX `run_files_created` ON `run_files` (`created_at`);