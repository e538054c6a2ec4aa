CREATE TABLE `links` (
	`id` text PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`user_id` text NOT NULL,
	`credential` text NOT NULL,
	`name` text,
	`reads` text NOT NULL,
	`skills` text NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`expires_at` integer NOT NULL,
	`revoked_at` integer,
	`uses` integer DEFAULT 0 NOT NULL,
	`last_used_at` integer
);
--> statement-breakpoint
CREATE INDEX `links_user` ON `links` (`user_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `links_expires` ON `links` (`expires_at`);--> statement-breakpoint
CREATE TABLE `open_skills` (
	`skill_id` text PRIMARY KEY NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	FOREIGN KEY (`skill_id`) REFERENCES `skills`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `open_skills_maker` ON `open_skills` (`created_by`);--> statement-breakpoint
CREATE TABLE `version_archives` (
	`version_id` text PRIMARY KEY NOT NULL,
	`sha256` text NOT NULL,
	`size` integer NOT NULL,
	FOREIGN KEY (`version_id`) REFERENCES `versions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `version_numbers` (
	`version_id` text PRIMARY KEY NOT NULL,
	`skill_id` text NOT NULL,
	`number` integer NOT NULL,
	FOREIGN KEY (`version_id`) REFERENCES `versions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `version_numbers_skill` ON `version_numbers` (`skill_id`,`number`);--> statement-breakpoint
-- By hand, since drizzle-kit knows neither rows nor triggers: what is there gets its numbers, and so does whatever is published, by this
-- gateway or by one from before that goes on writing while this one is being deployed.
INSERT INTO `version_numbers` (`version_id`, `skill_id`, `number`) SELECT `id`, `skill_id`, row_number() OVER (PARTITION BY `skill_id` ORDER BY `created_at`, `id`) FROM `versions`;--> statement-breakpoint
CREATE TRIGGER `versions_number` AFTER INSERT ON `versions` BEGIN INSERT INTO `version_numbers` (`version_id`, `skill_id`, `number`) SELECT NEW.`id`, NEW.`skill_id`, coalesce(max(`number`), 0) + 1 FROM `version_numbers` WHERE `skill_id` = NEW.`skill_id`; END;
