/// Names that an application variable cannot have, because a gateway or the SDK gives them a meaning of its
/// own.
package enum ReservedVariables {
    /// Whether `name` is taken on `platform`, whatever the delivery says.
    ///
    /// iOS: variables are siblings of `aps`, `_mId` and `_dId`. Android: they share `data` with `_msg`,
    /// `_mId` and `_dId`, and FCM keeps `from`, `message_type` and whatever begins with `google` or `gcm` for
    /// itself.
    package static func contains(_ name: String, on platform: Platform) -> Bool {
        platform.rules.isReserved(name) || ids.contains(name)
    }

    private static let ids = ["_mId", "_dId"]
}
