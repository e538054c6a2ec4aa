CREATE TABLE `draft_readers` (
	`user_id` text NOT NULL,
	`skill_id` text NOT NULL,
	PRIMARY KEY(`user_id`, `skill_id`),
	FOREIGN KEY (`skill_id`) REFERENCES `drafts`(`skill_id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `draft_readers_skill` ON `draft_readers` (`skill_id`);--> statement-breakpoint
CREATE TABLE `drafts` (
	`skill_id` text PRIMARY KEY NOT NULL,
	`target` text NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`skill_id`) REFERENCES `skills`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `drafts_expires` ON `drafts` (`expires_at`);