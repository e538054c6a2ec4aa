ALTER TABLE `conversations` ADD `turns` integer;--> statement-breakpoint
ALTER TABLE `conversations` ADD `last_turn_at` integer;--> statement-breakpoint
ALTER TABLE `conversations` ADD `tokens` integer;
