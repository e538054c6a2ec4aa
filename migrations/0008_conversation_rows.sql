CREATE TABLE `conversations_rows` (
	`user_id` text NOT NULL,
	`id` text NOT NULL,
	`ghost` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `id`)
) WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `conversations_rows` SELECT `user_id`, `id`, `ghost`, `created_at` FROM `conversations`;--> statement-breakpoint
DROP TABLE `conversations`;--> statement-breakpoint
ALTER TABLE `conversations_rows` RENAME TO `conversations`;--> statement-breakpoint
CREATE INDEX `conversations_user_created` ON `conversations` (`user_id`,`created_at`,`id`);
