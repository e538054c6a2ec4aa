CREATE TABLE `version_attestations` (
	`version_id` text PRIMARY KEY NOT NULL,
	`key_id` text NOT NULL,
	`envelope` text NOT NULL,
	FOREIGN KEY (`version_id`) REFERENCES `versions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `version_attestations_key` ON `version_attestations` (`key_id`);