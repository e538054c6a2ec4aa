CREATE TABLE `search_misses` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`user_id` text NOT NULL,
	`at` integer NOT NULL,
	`query` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `search_misses_user` ON `search_misses` (`user_id`,`at`);--> statement-breakpoint
CREATE INDEX `search_misses_at` ON `search_misses` (`at`);