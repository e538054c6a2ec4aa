CREATE TABLE `grant_codes` (
	`hash` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`via` text NOT NULL,
	`via_id` text NOT NULL,
	`key_id` text,
	`claimed` text NOT NULL,
	`client_id` text NOT NULL,
	`client_name` text NOT NULL,
	`resource` text NOT NULL,
	`redirect_uri` text NOT NULL,
	`challenge` text NOT NULL,
	`grant_until` integer,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`expires_at` integer NOT NULL,
	`claimed_by` text
);
--> statement-breakpoint
CREATE INDEX `grant_codes_user` ON `grant_codes` (`user_id`);--> statement-breakpoint
CREATE INDEX `grant_codes_expiry` ON `grant_codes` (`expires_at`);--> statement-breakpoint
CREATE TABLE `grant_tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`grant_id` text NOT NULL,
	`generation` integer NOT NULL,
	`hash` text NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`grant_id`) REFERENCES `grants`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `grant_tokens_grant` ON `grant_tokens` (`grant_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `grant_tokens_expiry` ON `grant_tokens` (`expires_at`);--> statement-breakpoint
CREATE TABLE `grants` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`via` text NOT NULL,
	`via_id` text NOT NULL,
	`key_id` text,
	`claimed` text NOT NULL,
	`client_id` text NOT NULL,
	`client_name` text NOT NULL,
	`resource` text NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`expires_at` integer NOT NULL,
	`idle_until` integer NOT NULL,
	`current` text NOT NULL,
	`generation` integer DEFAULT 0 NOT NULL,
	`derived_with` text NOT NULL,
	`previous` text,
	`rotated_at` integer,
	`arrived` integer DEFAULT -1 NOT NULL,
	`last_used_at` integer,
	`ended_at` integer,
	`ended_by` text
);
--> statement-breakpoint
CREATE INDEX `grants_user` ON `grants` (`user_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `grants_created` ON `grants` (`created_at`);--> statement-breakpoint
CREATE INDEX `grants_idle` ON `grants` (`idle_until`);--> statement-breakpoint
CREATE INDEX `grants_ended` ON `grants` (`ended_at`);