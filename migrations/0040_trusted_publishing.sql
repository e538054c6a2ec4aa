CREATE TABLE `publishers` (
	`id` text PRIMARY KEY NOT NULL,
	`scope` text NOT NULL,
	`name` text NOT NULL,
	`issuer` text NOT NULL,
	`audience` text NOT NULL,
	`claims` text NOT NULL,
	`skills` text NOT NULL,
	`key_minutes` integer NOT NULL,
	`revision` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`last_used_at` integer,
	`refused_at` integer,
	`refused_for` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `publishers_scope_name` ON `publishers` (`scope`,`name`);--> statement-breakpoint
CREATE INDEX `publishers_issuer` ON `publishers` (`scope`,`issuer`);--> statement-breakpoint
CREATE INDEX `publishers_maker` ON `publishers` (`created_by`);--> statement-breakpoint
CREATE TABLE `publishing_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`publisher_id` text NOT NULL,
	`revision` text NOT NULL,
	`token` text NOT NULL,
	`provenance` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`kept_until` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `publishing_keys_token_unique` ON `publishing_keys` (`token`);--> statement-breakpoint
CREATE INDEX `publishing_keys_kept` ON `publishing_keys` (`kept_until`);--> statement-breakpoint
CREATE TABLE `version_provenance` (
	`version_id` text PRIMARY KEY NOT NULL,
	`provenance` text NOT NULL,
	FOREIGN KEY (`version_id`) REFERENCES `versions`(`id`) ON UPDATE no action ON DELETE cascade
);
