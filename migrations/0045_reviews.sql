CREATE TABLE `review_events` (
	`id` text PRIMARY KEY NOT NULL,
	`review_id` text NOT NULL,
	`user_id` text NOT NULL,
	`type` text NOT NULL,
	`comment` text,
	`path` text,
	`line` integer,
	`zip_sha256` text NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	FOREIGN KEY (`review_id`) REFERENCES `reviews`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `review_events_review` ON `review_events` (`review_id`,`id`);--> statement-breakpoint
CREATE INDEX `review_events_user` ON `review_events` (`user_id`);--> statement-breakpoint
CREATE TABLE `reviews` (
	`id` text PRIMARY KEY NOT NULL,
	`scope` text NOT NULL,
	`name` text NOT NULL,
	`draft_id` text NOT NULL,
	`user_id` text NOT NULL,
	`state` text NOT NULL,
	`version_id` text NOT NULL,
	`label` text,
	`zip_sha256` text NOT NULL,
	`base_id` text,
	`published_id` text,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL
);
--> statement-breakpoint
CREATE INDEX `reviews_scope` ON `reviews` (`scope`,`state`,`id`);--> statement-breakpoint
CREATE INDEX `reviews_user` ON `reviews` (`user_id`,`state`,`id`);--> statement-breakpoint
CREATE INDEX `reviews_closed` ON `reviews` (`updated_at`) WHERE "reviews"."state" IN ('approved', 'rejected', 'withdrawn');--> statement-breakpoint
CREATE UNIQUE INDEX `reviews_open` ON `reviews` (`draft_id`,`scope`) WHERE "reviews"."state" IN ('pending', 'changes_requested');--> statement-breakpoint
CREATE TABLE `version_reviews` (
	`version_id` text PRIMARY KEY NOT NULL,
	`review_id` text NOT NULL,
	`reviewers` integer NOT NULL,
	`user_id` text NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	FOREIGN KEY (`version_id`) REFERENCES `versions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `version_reviews_user` ON `version_reviews` (`user_id`);--> statement-breakpoint
ALTER TABLE `groups` ADD `review` text;