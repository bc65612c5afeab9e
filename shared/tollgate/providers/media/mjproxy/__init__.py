"""midjourney-proxy's dialect, as its servers and the relays after it speak it (docs/providers/mjproxy.md).

There is no public server: an operator names the address of his own, or of a relay, with the key. The shipped
catalog has no route to it, as no price is known. One can be pushed while the service runs; its `upstream` has
the path before `/submit` by speed (`{relax: mj-relax/mj, fast: mj-fast/mj}`; `video` for videos), and a speed
that it leaves out cannot be had.
"""

from tollgate.providers.runtime.declaration import About, Auth, Provider

PROVIDER = Provider(
    name="mjproxy",
    about=About("midjourney-proxy, your own server", "https://github.com/novicezk/midjourney-proxy"),
    address_env="MJPROXY_BASE_URL",
    auth=Auth("mj-api-secret", scheme=""),
)
