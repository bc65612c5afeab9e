"""midjourney-proxy's dialect, for its servers and for compatible relays (docs/providers/mjproxy.md).

There is no public server: an operator enters the address of a server or a relay with the key. The shipped
catalog has no route to it, because its price is unknown. A route can be added while the service runs. Its
`upstream` has the path before `/submit` by speed (`{relax: mj-relax/mj, fast: mj-fast/mj}`; `video` for
videos), and other speeds are not supported.
"""

from tollgate.providers.runtime.declaration import About, Auth, Provider

PROVIDER = Provider(
    name="mjproxy",
    about=About("midjourney-proxy, your own server", "https://github.com/novicezk/midjourney-proxy"),
    address_env="MJPROXY_BASE_URL",
    auth=Auth("mj-api-secret", scheme=""),
)
