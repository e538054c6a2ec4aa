CREATE TABLE `chat_tails` (
	`user_id` text NOT NULL,
	`digest` text NOT NULL,
	`conversation_id` text NOT NULL,
	`at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	PRIMARY KEY(`user_id`, `digest`)
);
--> statement-breakpoint
CREATE INDEX `chat_tails_at` ON `chat_tails` (`at`);