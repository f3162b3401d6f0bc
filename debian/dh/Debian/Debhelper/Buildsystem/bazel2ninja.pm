# A debhelper build system for Bazel workspaces: bazel2ninja writes the manifest, ninja does the rest.
#
# Everything that needs thought is in `bazel2ninja debhelper`; see dh-bazel2ninja(7).

package Debian::Debhelper::Buildsystem::bazel2ninja;

use strict;
use warnings;
use Debian::Debhelper::Dh_Lib qw(%dh doit dpkg_architecture_value is_cross_compiling);
use parent qw(Debian::Debhelper::Buildsystem);

sub DESCRIPTION { "bazel2ninja (Bazel: WORKSPACE or MODULE.bazel)" }

sub IS_GENERATOR_BUILD_SYSTEM { 1 }

sub SUPPORTED_TARGET_BUILD_SYSTEMS { return qw(ninja) }

sub check_auto_buildable {
	my ($this, $step) = @_;
	return 0 unless grep { -e $this->get_sourcepath($_) } qw(WORKSPACE WORKSPACE.bazel MODULE.bazel);
	return 1 if $step eq 'configure' or $step eq 'clean';
	return $this->get_targetbuildsystem->check_auto_buildable($step);
}

sub new {
	my ($class, @args) = @_;
	my $this = $class->SUPER::new(@args);
	$this->prefer_out_of_source_building(@args);
	# every step, so that ninja does not take the manifest for out of date; the compiler follows DEB_HOST_ARCH
	$ENV{PKG_CONFIG} //= dpkg_architecture_value('DEB_HOST_GNU_TYPE') . '-pkg-config' if is_cross_compiling();
	return $this;
}

sub configure {
	my ($this, @words) = @_;
	my %environment = map { $_ => dpkg_architecture_value($_) } qw(DEB_HOST_ARCH DEB_HOST_MULTIARCH DEB_HOST_GNU_TYPE);
	$this->mkdir_builddir();
	doit({ update_env => { LC_ALL => 'C.UTF-8', %environment } }, 'bazel2ninja', 'debhelper', 'configure',
		'--source', $this->get_sourcedir(), '--build', $this->get_builddir(), '--', @words);
}

sub test {
	my ($this, @words) = @_;
	# the build system ninja of debhelper 13.11 runs tests one after the other on a machine with one processor's worth
	# of jobs asked for, and with as many as there are processors otherwise
	unshift @words, '-v' unless $dh{QUIET};
	unshift @words, '-j' . $this->get_parallel() if $this->get_parallel() > 0;
	$this->doit_in_builddir({ update_env => { LC_ALL => 'C.UTF-8' } }, 'ninja', @words, 'test');
	return 1;
}

sub clean {
	my ($this) = @_;
	$this->rmdir_builddir() or $this->get_targetbuildsystem->clean();
}

1
