extern "C" int used_part() { return 42; }
