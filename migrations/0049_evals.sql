CREATE TABLE `eval_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`skill_id` text NOT NULL,
	`digest` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`runner` text,
	`model` text,
	`passed` integer NOT NULL,
	`failed` integer NOT NULL,
	`cases` text NOT NULL,
	FOREIGN KEY (`skill_id`) REFERENCES `skills`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `eval_runs_content` ON `eval_runs` (`skill_id`,`digest`,`id`);--> statement-breakpoint
CREATE INDEX `eval_runs_maker` ON `eval_runs` (`created_by`);