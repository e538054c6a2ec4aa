CREATE TABLE `listings` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`day` integer NOT NULL,
	`skills` text NOT NULL,
	`turns` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `listings_day` ON `listings` (`day`,`skills`);--> statement-breakpoint
CREATE TABLE `service_use` (
	`scope` text NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`day` integer NOT NULL,
	`calls` integer NOT NULL,
	`failures` integer NOT NULL,
	`tokens` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`scope`, `kind`, `name`, `day`)
);
--> statement-breakpoint
CREATE INDEX `service_use_day` ON `service_use` (`day`,`kind`);--> statement-breakpoint
CREATE TABLE `use_hours` (
	`scope` text NOT NULL,
	`hour` integer NOT NULL,
	`loads` integer DEFAULT 0 NOT NULL,
	`calls` integer DEFAULT 0 NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`tokens` integer DEFAULT 0 NOT NULL,
	`found` integer DEFAULT 0 NOT NULL,
	`scripts_ok` integer DEFAULT 0 NOT NULL,
	`scripts_failed` integer DEFAULT 0 NOT NULL,
	`scripts_killed` integer DEFAULT 0 NOT NULL,
	`liked` integer DEFAULT 0 NOT NULL,
	`disliked` integer DEFAULT 0 NOT NULL,
	`searches` integer DEFAULT 0 NOT NULL,
	`searches_empty` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`scope`, `hour`)
);
--> statement-breakpoint
CREATE INDEX `use_hours_hour` ON `use_hours` (`hour`);--> statement-breakpoint
ALTER TABLE `skill_use` ADD `listed` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `skill_use` ADD `found` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `skill_use` ADD `scripts_ok` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `skill_use` ADD `scripts_failed` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `skill_use` ADD `scripts_killed` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `skill_use` ADD `liked` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `skill_use` ADD `disliked` integer DEFAULT 0 NOT NULL;