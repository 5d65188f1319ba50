/// The number of recipients that a target lists and that no subscription of the delivery's apps has.
/// Preparation counts them with the last app.
///
/// The number is in `delivery.target_parameters`. For a plain list (``StoredTarget/userKeys`` and
/// ``StoredTarget/tokens``), the column contains nothing else; otherwise, it is part of ``TargetDetails``.
enum UnknownRecipients {
    private static let possible = 0...(1 << 40)

    /// - Parameter column: The value of `target_parameters`.
    /// - Returns: `nil` if the target lists no recipients, or if they were not counted.
    static func count(in column: String?, of target: StoredTarget) throws -> Int? {
        let count: Int? =
            switch target {
            case .userKeys, .tokens: column.flatMap { Int($0) }
            case .detailed: try TargetDetails.read(column).unknown
            case .all, .parameters: nil
            }
        return count.map(bounded)
    }

    /// Returns the number of subscriptions that were found by the listed values; `nil` if they were not
    /// counted. A plain list has as many as its delivery has messages.
    static func devices(in column: String?, of target: StoredTarget) throws -> Int? {
        guard target == .detailed else { return nil }
        return try TargetDetails.read(column).devices.map(bounded)
    }

    /// Returns the value of `target_parameters` after more recipients were found to be unknown; `nil` if the
    /// column stays as it is.
    /// - Parameter devices: The number of subscriptions that were found by the listed values.
    static func column(
        of plan: PreparationPlan, adding more: Int, devices: Int
    ) throws -> String? {
        switch plan.target {
        case .all, .parameters: return nil
        case .userKeys, .tokens:
            return "\(bounded(plan.parameters.flatMap { Int($0) } ?? 0) + more)"
        case .detailed:
            guard var details = plan.details, details.isListed else { return nil }
            // An earlier version that began the preparation did not count devices.
            if details.devices != nil || plan.cursor.isFirst {
                details.devices = bounded(details.devices ?? 0) + devices
            }
            details.unknown = bounded(details.unknown ?? 0) + more
            return try StoredJSON.encode(details)
        }
    }

    /// A damaged number must not cause an overflow.
    private static func bounded(_ count: Int) -> Int {
        min(max(count, possible.lowerBound), possible.upperBound)
    }
}
