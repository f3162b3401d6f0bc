"""The native provider, under the name that later releases give it."""

ProtoLangToolchainInfo = proto_common.ProtoLangToolchainInfo
