int plain(void) { return 2; }
