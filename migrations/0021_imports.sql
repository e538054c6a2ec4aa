CREATE TABLE `import_items` (
	`import_id` text NOT NULL,
	`name` text NOT NULL,
	`run` integer NOT NULL,
	`state` text NOT NULL,
	`problem` text,
	`digest` text,
	`skill_id` text,
	`version_id` text,
	`removed_at` integer,
	PRIMARY KEY(`import_id`, `name`),
	FOREIGN KEY (`import_id`) REFERENCES `imports`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`skill_id`) REFERENCES `skills`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE INDEX `import_items_skill` ON `import_items` (`skill_id`);--> statement-breakpoint
CREATE TABLE `imports` (
	`id` text PRIMARY KEY NOT NULL,
	`scope` text NOT NULL,
	`source` text NOT NULL,
	`identity` text NOT NULL,
	`user_id` text NOT NULL,
	`credential` text NOT NULL,
	`is_mirror` integer NOT NULL,
	`run` integer NOT NULL,
	`state` text NOT NULL,
	`problem` text,
	`cursor` text,
	`total` integer,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`started_at` integer NOT NULL,
	`updated_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`next_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `imports_source` ON `imports` (`scope`,`identity`);--> statement-breakpoint
CREATE INDEX `imports_scope` ON `imports` (`scope`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `imports_user` ON `imports` (`user_id`);--> statement-breakpoint
CREATE INDEX `imports_next` ON `imports` (`next_at`);