internal import PushModel
internal import PushSchedule
internal import PushWire

/// The translation of the ledger's actions into orders to children and to the store.
extension MasterMachine {
    mutating func obey(_ actions: [PartLedger.Action]) {
        for action in actions {
            switch action {
            case .read(let order): read(.read(order))
            case .partDone(let part), .leftOut(let part): read(.closed(part))
            case .released(let grant):
                attemptNotes.forget(grant)
                spans.settle(grant)
                let delivery = stopping.isEmpty ? nil : jobs.job(of: grant)?.order.delivery
                if let job = jobs.release(grant) { retire(job: job) }
                read(.released(grant))
                if let delivery { continueStop(delivery) }
            case .abandon(let order): abandon(order)
            case .excess(let grant, let outcomes):
                report(
                    EngineFault(
                        .grantAndOutcome, of: jobs.job(of: grant)?.order.delivery,
                        "\(outcomes) outcomes more than the number of messages in grant \(grant.rawValue)"))
            case .rests(let account):
                countSettledAnswers()
                if let mark = accounts[account]?.mark { write(.rests(mark)) }
                forgetIfRetired(account)
            }
        }
        searchParts()
    }

    /// Writes the answers of spans that were settled because a child was lost or was ordered to give messages
    /// back. Usually, such answers are written together with outcomes, but there may be no further outcome.
    mutating func countSettledAnswers() {
        let answers = spans.takeSettled()
        if !answers.isEmpty { write(.count(answers)) }
    }

    /// Ends the messages of a lost child as unreachable, because they must not be sent again.
    private mutating func abandon(_ order: ReadOrder) {
        switch order.source {
        case .range(let part, let messages):
            guard let job = jobs.job(of: order.grant) else { return }
            write(.failRange(part, job.order.delivery, messages))
        case .retries: read(.giveUp(order.grant))
        }
    }

    mutating func define(_ job: JobDefinition) {
        jobs.define(job)
        guard job.ratePerSecond > 0 else { return }
        obey(ledger.handle(.limited(job.order.delivery, perSecond: job.ratePerSecond), at: now))
    }

    mutating func filled(
        _ order: ReadOrder, job: JobID?, frame: [UInt8], messages: Int, limited: DeliveryID?
    ) {
        // The child may have been lost while the reader read the messages. The ledger has taken these
        // messages back or soon will.
        guard ledger.holds(order.grant), isConnected(order.child) else { return read(.released(order.grant)) }
        // The ledger is notified that none of the part's messages can be read on this host. Otherwise small
        // grants from a large part, which result from a rate, would be requested again and again.
        if job == nil, case .range(let part, _) = order.source {
            obey(ledger.handle(.elsewhere(part), at: now))
        }
        if let job, let definition = jobs[job], definition.order.account != order.account {
            // The app was moved to another account while its messages were read. The messages now wait for
            // that account.
            return obey(ledger.handle(.unread(order.grant), at: now))
        }
        if let job, let definition = jobs[job], ledger.isPaused(definition.order.delivery) {
            // The delivery was paused while its messages were read. The messages wait until it is resumed.
            return obey(ledger.handle(.unread(order.grant), at: now))
        }
        // The delivery may have ended meanwhile. If so, none of its messages may be sent.
        let messages = job.map { jobs.isOpen($0) } == true ? messages : 0
        let definition = job.flatMap { jobs[$0] }
        let topic = definition.flatMap { heldBy($0) }
        if let topic, let definition, messages > 0,
            !ledger.mayGo(order.grant, messages: messages, of: topic, at: now)
        {
            return hold(order, topic, definition, frame: frame)
        }
        if messages > 0, !ledger.mayGo(order.grant) {
            // The account was stopped or closed meanwhile, and the children have already given back its other
            // messages.
            return obey(ledger.handle(.unread(order.grant), at: now))
        }
        if let job, messages > 0 {
            jobs.grant(order.grant, of: job)
            noteSpan(of: order, messages, through: jobs[job]?.mark)
            introduce(order.account, job: job, to: order.child)
            if settings.logsAttempts, case .retries = order.source {
                attemptNotes.note(frame, of: order.grant)
            }
            act(.sendFrame(order.child, frame))
            children[order.child]?.granted += messages
        }
        let delivery = order.allowances.isEmpty ? nil : job.flatMap { jobs[$0]?.order.delivery }
        let event = PartLedger.Event.filled(
            order.grant, messages: messages, of: delivery, limited: limited, topic: topic)
        obey(ledger.handle(event, at: now))
    }

    private mutating func noteSpan(of order: ReadOrder, _ messages: Int, through mark: AccountKey?) {
        guard let mark else { return }
        spans.submitted(
            order.grant, messages: messages, through: mark,
            acceptancesArriveLate: accounts[order.account]?.terms.acceptancesArriveLate == true)
    }

    /// Introduces an account and a job to a child before the first grant that needs them.
    private mutating func introduce(_ account: AccountID, job number: JobID, to id: ChildID) {
        guard let definition = accounts[account], let job = jobs[number] else { return }
        introduce(account, definition, to: id)
        if children[id]?.knownJobs.insert(number).inserted == true { send(.job(job.order), to: id) }
    }

    mutating func introduce(_ account: AccountID, _ definition: AccountDefinition, to id: ChildID) {
        if children[id]?.knownAccounts.insert(account).inserted == true {
            send(.account(definition.order), to: id)
        }
    }
}
