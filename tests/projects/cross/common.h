const char* machine();
