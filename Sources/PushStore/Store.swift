package import PushModel

/// The durable queue and the registry, in one SQLite file.
///
/// **Promises.** What a writing call did is on disk when it returns (`synchronous=FULL`). No transaction, read or
/// write, exceeds 5 000 rows. All calls are synchronous; call them from threads that may wait.
/// **Failures.** ``StoreError``; a refused or failed call changed nothing beyond what its documentation names.
/// **Neighbours.** The store itself only opens and hands out doors, each with one capability: what reads cannot write.
package final class Store: Sendable {
    package let path: String

    /// Opens the store, creating file (mode 0600) and folder where they are absent, and migrates it.
    /// - Parameter busyTimeoutMilliseconds: how long to wait for another process that writes.
    package static func open(path: String, busyTimeoutMilliseconds: Int = 10_000) throws(StoreError) -> Store {
        throw StoreError(.notAStore, path: path)
    }
    init(path: String) { self.path = path }

    /// The instance's key: made when the store has never had one, otherwise the one the store was made with.
    /// - Parameter keyPath: nil is `instance.key` beside the store.
    package func instanceKey(at keyPath: String? = nil) throws(StoreError) -> InstanceKey { throw StoreError(.notAStore, path: path) }

    package var catalogue: Catalogue { Catalogue() }
    package func catalogueWriter(key: InstanceKey) -> CatalogueWriter { CatalogueWriter() }
    package func credentials(key: InstanceKey) -> CredentialReader { CredentialReader() }
    package var subscribers: SubscriberReader { SubscriberReader() }
    package var subscriberImporter: SubscriberImporter { SubscriberImporter() }
    package var deliveries: DeliveryReader { DeliveryReader() }
    package var deliverySubmitter: DeliverySubmitter { DeliverySubmitter() }
    /// For the master's writer thread.
    package var work: WorkReader { WorkReader() }
    package var preparation: PreparationWriter { PreparationWriter() }
    package var outcomes: OutcomeWriter { OutcomeWriter() }
    /// For the master's reader thread: a connection of its own, one for each call of this function.
    package func messageReader() throws(StoreError) -> MessageReader { throw StoreError(.notAStore, path: path) }
}

/// The 32 bytes that everything secret of an instance derives from.
package struct InstanceKey: Sendable { }

/// Message ids as the outside sees them: the AES encryption of (delivery, message) as one block.
package struct MessageIDCipher: Sendable {
    package init(key: InstanceKey) {}
    package func opaqueID(of message: MessageID, in delivery: DeliveryID) -> OpaqueID { OpaqueID(high: 0, low: 0) }
    /// The row that an id names. Any 16 bytes decrypt to something: look the row up to verify.
    package func reveal(_ id: OpaqueID) -> (delivery: DeliveryID, message: MessageID) {
        (DeliveryID(rawValue: 0), MessageID(rawValue: 0))
    }
}

/// Reads services and apps. Never touches a credential.
package struct Catalogue: Sendable {
    package func services() throws(StoreError) -> [Service] { [] }
    package func service(named name: String) throws(StoreError) -> Service? { nil }
    package func service(_ id: ServiceID) throws(StoreError) -> Service? { nil }
    package func apps() throws(StoreError) -> [App] { [] }
    package func app(named name: String) throws(StoreError) -> App? { nil }
    package func app(_ id: AppID) throws(StoreError) -> App? { nil }
}

/// Unseals credentials, to be handed to a child and kept nowhere.
package struct CredentialReader: Sendable {
    /// nil where the app has none (stub).
    package func credential(of app: AppID) throws(StoreError) -> OpaqueCredential? { nil }
}

/// Creates, changes and deletes services and apps.
package struct CatalogueWriter: Sendable {
    package func createService(name: String, label: String) throws(StoreError) -> Service { throw StoreError(.notAStore, path: "") }
    /// Refuses a second app of that name, an unknown service, an integration key that another app of the same
    /// platform and environment has, and a certificate that the app of the other environment uses.
    package func createApp(_ settings: AppSettings, service: String, credential: OpaqueCredential?) throws(StoreError) -> App { throw StoreError(.notAStore, path: "") }
    /// - Parameter credential: nil keeps the present one.
    package func updateApp(_ app: AppID, to settings: AppSettings, credential: OpaqueCredential?) throws(StoreError) -> App { throw StoreError(.notAStore, path: "") }
    /// Deletes the app, its credential and its subscribers, these in pages of at most 5 000; interrupted, the same
    /// call goes on. Refused while a delivery of the app is not final.
    package func deleteApp(_ app: AppID, at now: WallMoment, pause: () -> Void = {}) throws(StoreError) {}
}

/// What an import did. `inserted + updated + unchanged + repeated` is what was given.
package struct ImportCounts: Equatable, Sendable {
    package var inserted = 0
    package var updated = 0
    package var unchanged = 0
    /// Rows that a later row of the same chunk with the same token replaced.
    package var repeated = 0
    package init() {}
    package static func += (left: inout Self, right: Self) {
        left.inserted += right.inserted
        left.updated += right.updated
        left.unchanged += right.unchanged
        left.repeated += right.repeated
    }
}

package struct SubscriberImporter: Sendable {
    /// Rows worth giving at once: they are sorted in memory before they are written, which is what makes it fast.
    package static let idealChunk = 200_000
    /// Inserts or updates by token, later rows win over earlier ones, in transactions of at most 5 000 rows.
    /// A failure keeps the transactions before it; doing it again is harmless.
    /// - Parameter pause: called between transactions.
    package func upsert(_ records: consuming [SubscriberRecord], into app: AppID, at now: WallMoment, pause: () -> Void = {}) throws(StoreError) -> ImportCounts { ImportCounts() }
}

package struct SubscriberPage: Sendable {
    package var records: [SubscriberRecord]
    /// Where the next page goes on; nil when this was the last.
    package var next: SubscriptionID?
}

package struct SubscriberReader: Sendable {
    package func count(of app: AppID) throws(StoreError) -> Int { 0 }
    /// In order of first registration. - Parameter limit: at most 5 000.
    package func page(of app: AppID, after: SubscriptionID?, limit: Int = 5_000) throws(StoreError) -> SubscriberPage { SubscriberPage(records: [], next: nil) }
}

package struct DeliverySubmitter: Sendable {
    /// The delivery is on disk when this returns. Repeated apps and repeated listed values count once.
    package func submit(_ order: DeliveryOrder, at now: WallMoment) throws(StoreError) -> DeliveryID { throw StoreError(.notAStore, path: "") }
}

/// A delivery with what is measured of it.
package struct DeliveryStatus: Equatable, Sendable {
    package var delivery: Delivery
    package var started: WallMoment?
    package var finished: WallMoment?
    /// Messages that were tried to the end, by the time from start to finish, or to `now` while it runs.
    package func messagesPerSecond(at now: WallMoment) -> Double? { nil }
}

/// One row of a delivery's log.
package struct MessageLogEntry: Equatable, Sendable {
    package var message: MessageID
    /// From 1 within the delivery.
    package var ordinal: Int64
    package var app: AppID
    package var appName: String
    package var messageIDFormat: MessageIDFormat
    /// Empty where the subscription has gone since.
    package var userKey: String
    package var token: String
    package var state: MessageState
    package var attempts: Int
    package var failureType: FailureType?
    package var failureReason: FailureReason?
    package var providerReason: String?
    package var providerID: String?
    package var updatedAt: WallTime
}

package struct DeliveryReader: Sendable {
    /// Newest first. - Parameter before: the last id of the page before.
    package func list(before: DeliveryID? = nil, limit: Int = 100) throws(StoreError) -> [DeliveryStatus] { [] }
    package func delivery(_ id: DeliveryID) throws(StoreError) -> DeliveryStatus? { nil }
    /// In message order. Empty when there is no more. - Parameter limit: at most 5 000.
    package func log(of id: DeliveryID, after: MessageID? = nil, limit: Int = 5_000) throws(StoreError) -> [MessageLogEntry] { [] }
}

/// Reads what there is to do.
package struct WorkReader: Sendable {
    /// The delivery whose preparation starts or goes on now: highest priority, then oldest.
    package func nextToPrepare(at now: WallMoment) throws(StoreError) -> DeliveryID? { nil }
    /// Parts not closed, of deliveries not final, by id. Paused and stopped deliveries' are not among them.
    package func openParts(after: PartID? = nil, limit: Int = 1_000) throws(StoreError) -> [Part] { [] }
    /// The earliest thing in the future: a scheduled start, a retry falling due, the end of a validity.
    package func nextMoment(after now: WallMoment) throws(StoreError) -> WallTime? { nil }
}

package struct PreparationStep: Equatable, Sendable {
    /// nil where the chunk held no message that can be sent.
    package var part: Part?
    /// Message rows written, excluded ones among them.
    package var rows: Int
    /// Nothing is left to prepare of this delivery.
    package var isComplete: Bool
    /// The delivery had nothing to send and is finished.
    package var isFinished: Bool
}

package struct PreparationWriter: Sendable {
    /// Resolves the next chunk of the target into message rows, in one transaction with the counters and the cursor.
    package func prepareChunk(of delivery: DeliveryID, at now: WallMoment) throws(StoreError) -> PreparationStep { throw StoreError(.notAStore, path: "") }
}

/// What a record call changed of one delivery.
package struct DeliveryTally: Equatable, Sendable {
    package var delivery: DeliveryID
    package var sent = 0
    package var failed = 0
    package var retrying = 0
    package var cancelled = 0
    package var excluded = 0
    /// Outcomes of messages that were final already.
    package var late = 0
    package init(delivery: DeliveryID) { self.delivery = delivery }
}

package struct RecordResult: Equatable, Sendable {
    /// In the order of the batches.
    package var tallies: [DeliveryTally] = []
    package var finished: [DeliveryID] = []
    package init() {}
}

package struct ExpiryStep: Equatable, Sendable {
    /// Rows that this call made final.
    package var changed: Int
    package var finished: [DeliveryID]
    /// Whether another call has something left to do now.
    package var hasMore: Bool
}

/// Writes what became of messages.
package struct OutcomeWriter: Sendable {
    /// Outcomes that one call takes at most.
    package static let maximumBatch = 5_000
    /// One transaction: rows, counters and the end of deliveries. At most ``maximumBatch`` outcomes in all.
    package func record(_ batches: [OutcomeBatch], at now: WallMoment) throws(StoreError) -> RecordResult { RecordResult() }
    /// Says that every message of the part had its first pass.
    package func closePart(_ part: PartID) throws(StoreError) {}
    /// Ends what outlived its validity: pending rows are cancelled, retrying rows fail with their last answer. One
    /// transaction of at most 5 000 rows a call.
    package func expire(at now: WallMoment) throws(StoreError) -> ExpiryStep { ExpiryStep(changed: 0, finished: [], hasMore: false) }
}

/// A message that is due again, without its subscription's bytes.
package struct RetryFacts: Equatable, Sendable {
    package var message: MessageID
    package var delivery: DeliveryID
    /// Within the delivery, from 1.
    package var ordinal: Int64
    package var attempts: Int
    package var due: WallTime
}

/// Reads messages with their subscriptions, lending bytes instead of copying them. The spans end with the closure.
package final class MessageReader: Sendable {
    /// The pending messages of `range` within a part, in order. An empty token means that the subscription has gone.
    /// - Returns: how many.
    @discardableResult
    package func pending(
        in part: Part, range: ClosedRange<MessageID>,
        body: (_ message: MessageID, _ token: Span<UInt8>, _ userKey: Span<UInt8>, _ parametersJSON: Span<UInt8>) -> Void
    ) throws(StoreError) -> Int { 0 }

    /// An app's messages whose due time has come, by due time and id. - Parameter after: the last one of the page before.
    /// - Returns: how many, at most `limit` (at most 5 000).
    @discardableResult
    package func retries(
        app: AppID, dueBy: WallTime, after: (due: WallTime, message: MessageID)? = nil, limit: Int,
        body: (_ facts: RetryFacts, _ token: Span<UInt8>, _ userKey: Span<UInt8>, _ parametersJSON: Span<UInt8>) -> Void
    ) throws(StoreError) -> Int { 0 }

    /// How many messages of an app are due again, counted to at most `limit`.
    package func retryingDue(app: AppID, dueBy: WallTime, limit: Int = 5_000) throws(StoreError) -> Int { 0 }
    init() {}
}
