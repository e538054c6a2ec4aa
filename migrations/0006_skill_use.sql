CREATE TABLE `skill_orders` (
	`day` integer PRIMARY KEY NOT NULL,
	`skill_ids` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `skill_use` (
	`day` integer NOT NULL,
	`skill_id` text NOT NULL,
	`version_id` text NOT NULL,
	`loads` integer NOT NULL,
	`calls` integer NOT NULL,
	`failures` integer NOT NULL,
	`tokens` integer NOT NULL,
	`votes` integer NOT NULL,
	PRIMARY KEY(`skill_id`, `day`, `version_id`),
	FOREIGN KEY (`skill_id`) REFERENCES `skills`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `skill_use_day` ON `skill_use` (`day`,`skill_id`,`votes`);--> statement-breakpoint
CREATE TABLE `skill_use_batches` (
	`id` text PRIMARY KEY NOT NULL,
	`day` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `skill_use_batches_day` ON `skill_use_batches` (`day`);