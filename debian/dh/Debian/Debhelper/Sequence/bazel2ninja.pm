# `dh --with bazel2ninja`: the build system, and ${bazel2ninja:Static-Built-Using} for debian/control.

use strict;
use warnings;
use Debian::Debhelper::Dh_Lib;

add_command_options($_, '--buildsystem=bazel2ninja+ninja')
	for qw(dh_auto_configure dh_auto_build dh_auto_test dh_auto_install dh_auto_clean);
# the same SONAME as the library for all processors, and no other dependency than that one
add_command_options('dh_makeshlibs', '-Xglibc-hwcaps/');
insert_before('dh_installdeb', 'dh_bazel2ninja');
add_command_options('dh_bazel2ninja', '--buildsystem=bazel2ninja+ninja');

1
