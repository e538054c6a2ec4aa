CREATE TABLE `version_code` (
	`version_id` text PRIMARY KEY NOT NULL,
	`scripts` text,
	`described` text,
	FOREIGN KEY (`version_id`) REFERENCES `versions`(`id`) ON UPDATE no action ON DELETE cascade
);
