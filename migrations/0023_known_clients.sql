CREATE TABLE `known_clients` (
	`name` text PRIMARY KEY NOT NULL,
	`display_name` text NOT NULL,
	`redirect_uris` text NOT NULL,
	`secret_hash` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL
);
--> statement-breakpoint
CREATE INDEX `known_clients_maker` ON `known_clients` (`created_by`);--> statement-breakpoint
CREATE INDEX `grants_client` ON `grants` (`client_id`);