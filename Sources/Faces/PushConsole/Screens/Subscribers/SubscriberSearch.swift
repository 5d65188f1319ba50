internal import PushAPI
internal import PushModel

/// The subscribers of a part of a list.
struct FoundSubscribers {
    var items: [SubscriberView] = []
    /// The cursor of the next part; `nil` if there is none.
    var next: String?

    init(next: String? = nil) { self.next = next }
    init(_ page: PushAPI.Page<SubscriberView>) { (items, next) = (page.items, page.next) }
}

/// A search that examines one subscriber after the other, until a page is full or the search has taken the
/// time of a page. If few subscribers match, its steps become longer.
struct SubscriberSearch {
    private static let pageSize = SubscriberListPage.pageSize
    private static let maxStepSize = 1_000
    /// The number of subscribers that one request examines at most.
    private static let maxExamined = 50_000
    private static let maxNanoseconds: Int64 = 100_000_000

    /// What was found. Its cursor is where the next step begins.
    private(set) var found: FoundSubscribers
    private(set) var examined = 0
    private(set) var isOver = false
    /// The number of subscribers that the next step examines.
    private(set) var stepSize = pageSize
    private let now: @Sendable () -> MonotonicTime
    private let began: MonotonicTime

    init(_ clock: OperationsClock, cursor: String?) {
        found = FoundSubscribers(next: cursor)
        now = clock.monotonic
        began = now()
    }

    /// Takes what a step found. A step that found more than a page has room for is repeated with fewer.
    mutating func take(_ step: PushAPI.Page<SubscriberView>) {
        let isTooMuch = found.items.count + step.items.count > Self.pageSize
        if isTooMuch, stepSize > Self.pageSize {
            stepSize = max(stepSize / 2, Self.pageSize)
            return
        }
        found.items += step.items
        found.next = step.next
        examined += stepSize
        isOver =
            step.next == nil || found.items.count >= Self.pageSize || examined >= Self.maxExamined
            || now().nanoseconds - began.nanoseconds >= Self.maxNanoseconds
        if step.items.isEmpty { stepSize = min(stepSize * 4, Self.maxStepSize) }
    }
}
