extern "C" int unused_part() { return 0; }
