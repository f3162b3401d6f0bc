int extra(void) { return 3; }
