/** Values of the doctor's checks that the dashboard knows. */

/** Of the check of backups, where there was none: nothing is late, and nothing is in order. */
export const NO_BACKUP = 'no backup yet';
