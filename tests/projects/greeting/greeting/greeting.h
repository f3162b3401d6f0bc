#ifndef GREETING_GREETING_H_
#define GREETING_GREETING_H_

#include <string>

namespace greeting {

// "Hello, NAME!"
std::string Greet(const std::string& name);

}  // namespace greeting

#endif  // GREETING_GREETING_H_
