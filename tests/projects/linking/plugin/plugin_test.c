int plugin_answer(void);
int main(void) { return plugin_answer() - 42; }
