import PushModel
import PushSchedule

extension ChildID {
    static let a = ChildID(rawValue: 1)
    static let b = ChildID(rawValue: 2)
}

extension Part {
    static func of(_ range: ClosedRange<Int64>, part: Int64 = 1) -> Part {
        Part(
            id: PartID(rawValue: part), delivery: DeliveryID(rawValue: 1), app: AppID(rawValue: 1),
            messages: MessageID(rawValue: range.lowerBound)...MessageID(rawValue: range.upperBound),
            firstOrdinal: 1)
    }
}

extension ReadOrder.Source {
    static func part(_ part: Int64, _ range: ClosedRange<Int64>) -> ReadOrder.Source {
        .range(
            PartID(rawValue: part),
            MessageID(rawValue: range.lowerBound)...MessageID(rawValue: range.upperBound))
    }

    var count: Int {
        switch self {
        case .range(_, let range): Int(range.upperBound.rawValue - range.lowerBound.rawValue) + 1
        case .retries(_, let limit): limit
        }
    }
}

extension [PartLedger.Action] {
    var reads: [ReadOrder] {
        compactMap { if case .read(let order) = $0 { order } else { nil } }
    }
}

extension ReadOrder {
    /// The order in the form in which it appears in an order to give up. It omits how long its messages
    /// waited.
    var ofUnknownAge: ReadOrder { ReadOrder(grant: grant, child: child, account: account, source: source) }
}
