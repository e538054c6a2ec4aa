CREATE TABLE `conversations` (
	`user_id` text NOT NULL,
	`id` text NOT NULL,
	`ghost` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`user_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `conversations_user_created` ON `conversations` (`user_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `counters` (
	`scope` text PRIMARY KEY NOT NULL,
	`value` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `ghost_skills` (
	`ghost_id` text NOT NULL,
	`position` integer NOT NULL,
	`name` text NOT NULL,
	`range` text NOT NULL,
	`skill_id` text NOT NULL,
	PRIMARY KEY(`ghost_id`, `position`),
	FOREIGN KEY (`ghost_id`) REFERENCES `ghosts`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `ghost_skills_skill` ON `ghost_skills` (`skill_id`);--> statement-breakpoint
CREATE TABLE `ghosts` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`namespace` text NOT NULL,
	`name` text NOT NULL,
	`folded` text NOT NULL,
	`spec` text NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `ghosts_owner_folded` ON `ghosts` (`user_id`,`namespace`,`folded`);--> statement-breakpoint
CREATE INDEX `ghosts_owner_name` ON `ghosts` (`user_id`,`name`);--> statement-breakpoint
CREATE TABLE `idempotency` (
	`user_id` text NOT NULL,
	`key` text NOT NULL,
	`request` text NOT NULL,
	`status` integer NOT NULL,
	`subject` text NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	PRIMARY KEY(`user_id`, `key`)
);
--> statement-breakpoint
CREATE INDEX `idempotency_created` ON `idempotency` (`created_at`);--> statement-breakpoint
CREATE TABLE `keys` (
	`id` text PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`user_id` text NOT NULL,
	`role` text NOT NULL,
	`name` text,
	`scopes` text NOT NULL,
	`groups` text NOT NULL,
	`expires_at` integer,
	`created_by` text NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`revoked_at` integer
);
--> statement-breakpoint
CREATE INDEX `keys_created` ON `keys` (`created_at`);--> statement-breakpoint
CREATE TABLE `skills` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`scope` text NOT NULL,
	`name` text NOT NULL,
	`folded` text NOT NULL,
	`namespace` text NOT NULL,
	`user_id` text NOT NULL,
	`version_id` text NOT NULL,
	`tokens` integer NOT NULL,
	`bind_shells` text,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `skills_id_unique` ON `skills` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `skills_scope_folded` ON `skills` (`scope`,`folded`);--> statement-breakpoint
CREATE INDEX `skills_scope_name` ON `skills` (`scope`,`name`,`tokens`,`bind_shells`);--> statement-breakpoint
CREATE TABLE `versions` (
	`id` text PRIMARY KEY NOT NULL,
	`skill_id` text NOT NULL,
	`label` text,
	`digest` text NOT NULL,
	`description` text NOT NULL,
	`display_name` text,
	`author` text,
	`tags` text NOT NULL,
	`bind_shells` text,
	`dependencies` text NOT NULL,
	`has_capabilities` integer NOT NULL,
	`tokens_description` integer NOT NULL,
	`tokens_line` integer NOT NULL,
	`tokens_instructions` integer NOT NULL,
	`tokens_files` integer NOT NULL,
	`zip_sha256` text NOT NULL,
	`zip_size` integer NOT NULL,
	`upload_sha256` text NOT NULL,
	`warnings` text NOT NULL,
	`created_by` text NOT NULL,
	`started_at` integer NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`manifest` text NOT NULL,
	`frontmatter` text NOT NULL,
	`files` text NOT NULL,
	`instructions` text NOT NULL,
	FOREIGN KEY (`skill_id`) REFERENCES `skills`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "versions_in_time" CHECK("versions"."created_at" < "versions"."started_at" + 3600000)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `versions_skill_digest` ON `versions` (`skill_id`,`digest`);--> statement-breakpoint
CREATE UNIQUE INDEX `versions_skill_label` ON `versions` (`skill_id`,`label`);--> statement-breakpoint
CREATE INDEX `versions_skill_created` ON `versions` (`skill_id`,`created_at`,`id`);