"""The native provider, under the name that later releases give it."""

_ProtoInfo = ProtoInfo
ProtoInfo = _ProtoInfo
