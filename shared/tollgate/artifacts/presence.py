"""Whether an object is stored.

By a list of its one key, not by a HEAD. A role can be allowed to list under a prefix, but S3 answers a HEAD
of a missing object with 404 only if the role may list the whole bucket; otherwise the answer is 403, as if
a right were missing.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client


def is_stored(s3: "S3Client", bucket: str, key: str) -> bool:
    """Return whether a bucket has an object of this key. Raises the SDK's errors."""
    found = s3.list_objects_v2(Bucket=bucket, Prefix=key, MaxKeys=1)
    # The first key with this prefix, in the order of their bytes: the key itself comes before all longer
    # ones.
    return any(one["Key"] == key for one in found.get("Contents", []))
