CREATE TABLE `skill_rating_sums` (
	`skill_id` text PRIMARY KEY NOT NULL,
	`ratings` integer NOT NULL,
	`stars` integer NOT NULL,
	FOREIGN KEY (`skill_id`) REFERENCES `skills`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `skill_ratings` (
	`skill_id` text NOT NULL,
	`user_id` text NOT NULL,
	`id` text NOT NULL,
	`stars` integer NOT NULL,
	`comment` text,
	`version_id` text NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`answer` text,
	`answered_by` text,
	`answered_at` integer,
	`hidden_at` integer,
	`hidden_by` text,
	`hidden_reason` text,
	PRIMARY KEY(`skill_id`, `user_id`),
	FOREIGN KEY (`skill_id`) REFERENCES `skills`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `skill_ratings_id_unique` ON `skill_ratings` (`id`);--> statement-breakpoint
CREATE INDEX `skill_ratings_updated` ON `skill_ratings` (`skill_id`,`updated_at`,`id`);--> statement-breakpoint
CREATE INDEX `skill_ratings_user` ON `skill_ratings` (`user_id`);--> statement-breakpoint
CREATE INDEX `skill_ratings_answered` ON `skill_ratings` (`answered_by`);--> statement-breakpoint
CREATE INDEX `skill_ratings_hidden` ON `skill_ratings` (`hidden_by`);--> statement-breakpoint
CREATE TABLE `skill_reports` (
	`id` text PRIMARY KEY NOT NULL,
	`skill_id` text NOT NULL,
	`rating_id` text NOT NULL,
	`user_id` text NOT NULL,
	`reason` text NOT NULL,
	`message` text,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`decision` text,
	`note` text,
	`decided_by` text,
	`decided_at` integer,
	FOREIGN KEY (`skill_id`) REFERENCES `skills`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `skill_reports_decided` ON `skill_reports` (`decided_at`,`id`);--> statement-breakpoint
CREATE INDEX `skill_reports_user` ON `skill_reports` (`user_id`,`decided_at`);--> statement-breakpoint
CREATE INDEX `skill_reports_skill` ON `skill_reports` (`skill_id`);--> statement-breakpoint
CREATE INDEX `skill_reports_decider` ON `skill_reports` (`decided_by`);--> statement-breakpoint
CREATE TABLE `skill_users` (
	`user_id` text NOT NULL,
	`skill_id` text NOT NULL,
	`day` integer NOT NULL,
	PRIMARY KEY(`user_id`, `skill_id`),
	FOREIGN KEY (`skill_id`) REFERENCES `skills`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `skill_users_skill` ON `skill_users` (`skill_id`);--> statement-breakpoint
CREATE INDEX `skill_users_day` ON `skill_users` (`day`);--> statement-breakpoint
CREATE TRIGGER `skill_ratings_added` AFTER INSERT ON `skill_ratings` WHEN NEW.`hidden_at` IS NULL BEGIN INSERT INTO `skill_rating_sums` (`skill_id`, `ratings`, `stars`) VALUES (NEW.`skill_id`, 1, NEW.`stars`) ON CONFLICT (`skill_id`) DO UPDATE SET `ratings` = `ratings` + 1, `stars` = `stars` + excluded.`stars`; END;--> statement-breakpoint
CREATE TRIGGER `skill_ratings_changed` AFTER UPDATE OF `stars`, `hidden_at` ON `skill_ratings` BEGIN UPDATE `skill_rating_sums` SET `ratings` = `ratings` + (NEW.`hidden_at` IS NULL) - (OLD.`hidden_at` IS NULL), `stars` = `stars` + iif(NEW.`hidden_at` IS NULL, NEW.`stars`, 0) - iif(OLD.`hidden_at` IS NULL, OLD.`stars`, 0) WHERE `skill_id` = NEW.`skill_id`; END;--> statement-breakpoint
CREATE TRIGGER `skill_ratings_removed` AFTER DELETE ON `skill_ratings` WHEN OLD.`hidden_at` IS NULL BEGIN UPDATE `skill_rating_sums` SET `ratings` = `ratings` - 1, `stars` = `stars` - OLD.`stars` WHERE `skill_id` = OLD.`skill_id`; END;
