CREATE TABLE `upload_parts` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`sha256` text NOT NULL,
	`size` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `upload_parts_user` ON `upload_parts` (`user_id`,`created_at`,`size`);--> statement-breakpoint
CREATE INDEX `upload_parts_created` ON `upload_parts` (`created_at`);--> statement-breakpoint
CREATE TABLE `version_blocks` (
	`version_id` text PRIMARY KEY NOT NULL,
	`reason` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	FOREIGN KEY (`version_id`) REFERENCES `versions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `version_blocks_maker` ON `version_blocks` (`created_by`);