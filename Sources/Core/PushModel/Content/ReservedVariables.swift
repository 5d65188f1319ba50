/// Names that an application variable cannot have, because a gateway or the SDK reserves them.
package enum ReservedVariables {
    /// Reports whether `name` is reserved on `platform`, whatever the delivery contains.
    ///
    /// iOS: variables are siblings of `aps`, `_mId` and `_dId`. Android: they share `data` with `_msg`,
    /// `_mId` and `_dId`, and FCM reserves `from`, `message_type` and every name that begins with `google` or
    /// `gcm`.
    package static func contains(_ name: String, on platform: Platform) -> Bool {
        platform.rules.isReserved(name) || ids.contains(name)
    }

    private static let ids = ["_mId", "_dId"]
}
