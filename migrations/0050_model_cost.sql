ALTER TABLE `service_use` ADD `billed_as` text;--> statement-breakpoint
ALTER TABLE `service_use` ADD `fresh` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `service_use` ADD `cache_read` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `service_use` ADD `cache_write` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `service_use` ADD `long_write` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `service_use` ADD `output` integer DEFAULT 0 NOT NULL;