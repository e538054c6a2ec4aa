CREATE TABLE `version_sources` (
	`version_id` text PRIMARY KEY NOT NULL,
	`source` text NOT NULL,
	FOREIGN KEY (`version_id`) REFERENCES `versions`(`id`) ON UPDATE no action ON DELETE cascade
);
