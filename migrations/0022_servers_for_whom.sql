CREATE TABLE `own_servers` (
	`scope` text NOT NULL,
	`name` text NOT NULL,
	`entry` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	PRIMARY KEY(`scope`, `name`)
);
--> statement-breakpoint
CREATE INDEX `own_servers_maker` ON `own_servers` (`created_by`);--> statement-breakpoint
ALTER TABLE `mcp_servers` ADD `approved` text;