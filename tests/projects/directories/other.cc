int five() { return 5; }
