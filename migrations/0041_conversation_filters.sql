ALTER TABLE `conversations` ADD `failures` integer;--> statement-breakpoint
ALTER TABLE `conversations` ADD `skills` text;--> statement-breakpoint
CREATE INDEX `conversations_user_failed` ON `conversations` (`user_id`,`created_at`,`id`) WHERE failures > 0;