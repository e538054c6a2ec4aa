CREATE TABLE `connect_requests` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`scope` text NOT NULL,
	`server` text NOT NULL,
	`url` text NOT NULL,
	`issuer` text NOT NULL,
	`resource` text,
	`endpoints` text NOT NULL,
	`key_id` text NOT NULL,
	`iv` text NOT NULL,
	`ciphertext` text NOT NULL,
	`wanted` text,
	`return_to` text,
	`conversation` text,
	`question` text,
	`stage` text NOT NULL,
	`browser` text,
	`state_hash` text,
	`tries` integer DEFAULT 0 NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `connect_requests_user` ON `connect_requests` (`user_id`);--> statement-breakpoint
CREATE INDEX `connect_requests_expiry` ON `connect_requests` (`expires_at`);--> statement-breakpoint
CREATE TABLE `connections` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`scope` text NOT NULL,
	`server` text NOT NULL,
	`url` text NOT NULL,
	`issuer` text NOT NULL,
	`resource` text,
	`endpoints` text NOT NULL,
	`key_id` text NOT NULL,
	`iv` text NOT NULL,
	`ciphertext` text NOT NULL,
	`granted` text,
	`state` text NOT NULL,
	`proof` text,
	`proof_until` integer,
	`generation` integer DEFAULT 0 NOT NULL,
	`lease` text,
	`lease_until` integer,
	`expires_at` integer,
	`refreshed_at` integer,
	`ended_by` text,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	`updated_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `connections_server` ON `connections` (`user_id`,`scope`,`server`,`state`);--> statement-breakpoint
CREATE INDEX `connections_issuer` ON `connections` (`issuer`);--> statement-breakpoint
CREATE INDEX `connections_key` ON `connections` (`key_id`);--> statement-breakpoint
CREATE INDEX `connections_proof` ON `connections` (`proof_until`);--> statement-breakpoint
CREATE TABLE `upstream_clients` (
	`issuer` text NOT NULL,
	`redirect_uri` text NOT NULL,
	`key_id` text NOT NULL,
	`iv` text NOT NULL,
	`ciphertext` text NOT NULL,
	`expires_at` integer,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	PRIMARY KEY(`issuer`, `redirect_uri`)
);
--> statement-breakpoint
CREATE INDEX `upstream_clients_key` ON `upstream_clients` (`key_id`);