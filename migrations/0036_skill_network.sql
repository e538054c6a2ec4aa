CREATE TABLE `skill_env` (
	`id` text PRIMARY KEY NOT NULL,
	`scope` text NOT NULL,
	`skill_id` text NOT NULL,
	`name` text NOT NULL,
	`hosts` text NOT NULL,
	`key_id` text NOT NULL,
	`iv` text NOT NULL,
	`ciphertext` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`last_used_at` integer,
	FOREIGN KEY (`skill_id`) REFERENCES `skills`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `skill_env_name` ON `skill_env` (`scope`,`skill_id`,`name`);--> statement-breakpoint
CREATE INDEX `skill_env_skill` ON `skill_env` (`skill_id`);--> statement-breakpoint
CREATE INDEX `skill_env_key` ON `skill_env` (`key_id`);--> statement-breakpoint
CREATE INDEX `skill_env_maker` ON `skill_env` (`created_by`);--> statement-breakpoint
CREATE TABLE `skill_networks` (
	`skill_id` text PRIMARY KEY NOT NULL,
	`hosts` text NOT NULL,
	`updated_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	FOREIGN KEY (`skill_id`) REFERENCES `skills`(`id`) ON UPDATE no action ON DELETE cascade
);
