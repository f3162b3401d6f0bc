extern "C" int used_part();
extern "C" int plugin_answer() { return used_part(); }
