"""English."""

from voice_hitl.speech.languages.pack import LanguagePack, phrases

ENGLISH = LanguagePack(
    code="en",
    contractions={
        "im": "i am",
        "ill": "i will",
        "id": "i would",
        "ive": "i have",
        "its": "it is",
        "itll": "it will",
        "itd": "it would",
        "thats": "that is",
        "thatll": "that will",
        "thatd": "that would",
        "youre": "you are",
        "youve": "you have",
        "lets": "let us",
        "theres": "there is",
        "whats": "what is",
        "everythings": "everything is",
        "alls": "all is",
        "theyre": "they are",
        "dont": "do not",
        "doesnt": "does not",
        "didnt": "did not",
        "isnt": "is not",
        "arent": "are not",
        "wasnt": "was not",
        "wont": "will not",
        "wouldnt": "would not",
        "cant": "can not",
        "couldnt": "could not",
        "shouldnt": "should not",
    },
    harmless=phrases(
        """no problem, no problem at all, not a problem, i (dont|do not|wouldnt|would not) mind, no complaints, nothing
            wrong, nothing wrong with (it|that), no need to change (anything|it|that), no mistakes, no errors, no
            changes, no changes needed, no change needed, nothing to change, nothing to add, i (dont|do not) mind
            (it|that|at all), dont mind if i do, no objection, no objections, i have no objection(|s), no issue(|s), no
            doubt, no doubt about it, without (a|any) doubt, cant complain, (cant|couldnt) be better, dont hesitate, i
            (cant|cannot|can not) wait, cant wait, (cant|cannot|can not) wait to (see|hear|watch|go|try|be
            there|visit|attend|listen)( to it| it| that| them|), couldnt agree more, wouldnt have it any other way, no
            reason (not to|why not), (i |)see no reason (not to|why not), (i |)(see|have) no
            (problem|problems|issue|issues|objection|objections|mistakes|errors)( with it| with that| with this|), ive
            (no|got no) (problem|issue|objection)( with it| with that| with this|), no (problem|problems|issue|issues)
            with (it|that|this), i (dont|do not) (have|see) (a|any)
            (problem|problems|issue|issues|objection|objections)( with it| with that| with this|), (i |)(dont|cant|do
            not|can not) see why not, (wont|will not|wouldnt|would not) be (a|any) problem, cant go wrong( with it| with
            that| with this|), (cant|couldnt|wont|doesnt|does not|will not) hurt, i (wouldnt|would not|wont|will not)
            say no( to it| to that|), (i have |)nothing against (it|that|this), there (are|is) no
            (mistakes|mistake|errors|error|changes|issues), no corrections( needed|), nothing to correct, no need to
            ask, never better"""
    ),
    unsure=phrases(
        """for now, for the (moment|time being), for today, yes or no, yes and no, yes no, i (dont|do not) know, dont
            know, not sure, im not (sure|certain), i am not (sure|certain), not certain, (im |i am |)unsure, maybe,
            perhaps, possibly, probably, might, i guess, i suppose, i think so, yeah right, depends, it depends, that
            depends, who knows, no idea, i have no idea, (let me|ill) think, (let me|ill) think about (it|that), i need
            to think, (let me|ill) (check|see), ill decide, doubtful, hardly, either way, (i am|im) afraid, i hope,
            supposedly, kind of, sort of, say yes, says yes, said yes, a yes, yes hello, im (here|right here|still
            here|listening), i am (here|right here|still here|listening), i (can |)hear you, yes speaking, speaking,
            yesterday, already, (let|lets) you know, get back to you, call you back, (well|we will|ill|i will|lets|let
            us) see, (i|we|it|that|this|they) may, (i|we) (might|could), (i|we) have (a|an|one|my|our), who is
            (this|calling|there|speaking), whos (this|calling|there|speaking), who are you, as is, as (it|they)
            (is|are), like this, the way (it|they) (is|are), (good|nice|fine) for (you|him|her|them), (thats|that is) (a
            lot|quite a lot|enough|more than enough), enough already, (i|we) work, (at|have|off|for|from) work, (i|we)
            have work, (ive|i have|weve|we have) got (it|this|that), (may|might|could|can) be, (much|all|feel|feeling)
            better now, (i|we) (bought|went|took|paid|booked|ordered|reserved|scheduled|saw|watched|sent),
            (was|am|im|were) (only|just) (curious|wondering|asking|checking|looking), (ive|i have|weve|we have) been,
            myself, ourselves, (good|great|nice|excellent|helpful|useful) (info|information), (im|i am|were|we are)
            (happy|fine|okay|ok|good|content|satisfied|pleased) with (my|our|what), at check (in|out), (at|upon)
            (checkin|checkout), (im|i am) comfortable"""
    ),
    no=phrases(
        """no, nope, nah, naw, nay, nada, no way, no thanks, no thank you, no need, theres no need, no (i am|im) good,
            not now, not right now, not yet, not just yet, not (just |)at (the|this) (moment|time|point), not today, not
            tonight, not really, not at all, not this time, not for now, not necessary, not needed, not required, not
            interested, not (ready|going to|looking to|willing|wanting|just now|right away|at the
            present|right|correct|accurate|true|good|okay|ok|quite|exactly|it|that|him|her|happening), not what i
            (want|wanted|said|meant|asked), (isnt|is not|wasnt|was not|arent|are not)
            (right|correct|accurate|true|good|necessary|needed|required|it|okay|ok|going to), (thats|that is|its|it
            is|this is) (wrong|incorrect|not right|not correct), wrong, incorrect, negative, i (dont|do not|didnt|did
            not) (want|need|like|think so|wish|require|care|want that|want to|need to|approve|agree|confirm), (dont|do
            not|dont you|do not you)
            (do|run|send|book|play|buy|go|make|delete|transfer|pay|call|start|open|order|cancel)
            (it|that|this|so|ahead), dont worry, dont worry about (it|that), id rather not, i would rather not, rather
            not, better not, id better not, best not, i disagree, i (refuse|decline|reject), declined, denied, rejected,
            refuse, decline, reject, disapproved, absolutely not, certainly not, definitely not, of course not, no
            chance, not a chance, forget it, forget (about it|that|about that), skip it, skip that, leave it, leave
            that, drop it, drop that, bag it, scrap that, scrap it, call it off, stop it, stop that, maybe later( on|),
            maybe (another|some other|a different) time, perhaps later( on|), perhaps (another|some other|a different)
            time, possibly later( on|), probably later( on|), later possibly, (another|some other|some other time
            maybe|a different) time, perhaps a next time, perhaps at a later time, maybe in a (little |)while, maybe
            after sometime, later maybe, later on, ill pass, i will pass, (have|need|going|want) to pass, ill take a
            pass, pass on (it|that|this), im good, i am good, im good (for now|now|thanks|without|on that), im fine, im
            okay, im ok, im all good, im (all |)set, i am (all |)set, (im|i am) all set for now, i should be all set,
            all set for now, im done, i am done, hold off, put (it|that) on hold, on second thought no, thats okay for
            now, that is okay for now, thats (alright|all right|okay|ok) (im|i am|ill), that is (okay|ok|alright) (im|i
            am|ill), that should be good for now, (we are|were) (good|fine|okay|ok|done|all set|all good|good for
            now|good thanks|fine thanks), uh uh, nuh uh, hell no, heck no, i hate it, not interested, no longer"""
    ),
    forbids=phrases("not, dont, do not, dont you, please dont, please do not, never"),
    holds=phrases(
        """wait, hold on, hang on, hold it, hold up, hold off, later, later on, not so fast, one moment, just a moment,
            a moment, one (sec|second|minute), (just |)a (sec|second|minute), give me a (sec|second|minute|moment), just
            a (sec|second|minute), another time, some other time, next time, some time, sometime, tomorrow maybe, pause,
            after that, in a (bit|while), in a little while, eventually, soon, remind me, show me"""
    ),
    beforehand=phrases(
        """first (i|we|let|tell|check|find|give|show|can|could|what|when|where|how|is|get|change|you|please|of all), but
            first"""
    ),
    first=phrases("first"),
    changes=phrases(
        """but, although, though, however, except, except for, actually, rather, id rather, i would rather, prefer, i
            prefer, correction, different, another, other than, apart from, else, on second thought, on second thoughts,
            second thoughts, i meant, i mean, meant, mistake, mistaken, should have been, should be, was supposed,
            supposed to, sorry, oops, whoops, forgot to, (ill|i will|lets|let us) make (it|that), unfortunately, almost,
            nearly, partly, partially, correct (it|that|the|me), leave out, the other, other, others, minus, let me
            change, first let me, problem, issue, error, opposite, reverse, move it, make that, too
            (much|many|expensive|late|early|long|far|high|low|short|big|small|loud|fast|slow), meanwhile, in the
            meantime, regardless, from here, why would, why did, what about, how about,
            (first|second|third|fourth|last|next|previous|cheaper|cheapest|earlier|later|bigger|smaller|better|closer|nearer|newer|older)
            one, (just|only) the, looking for"""
    ),
    conditions=phrases(
        """if, unless, as long as, provided, providing, assuming, only if, once, or, until, till, before, after,
            (thats|that is|its|it is|this is) what, more, most, at least, at most,
            (some|part|half|most|many|few|parts|bits|several) of (it|that|this|them|those|these), yet, still, or not,
            more than, less than, than, depending, when (i|im|we|were|you|he|hes|she|shes|they|theyre|my|our|his|her),
            when (it|its|the), where (i|we|you|he|she|they|my|our|his|her), what (i|we|you|he|she|they|my|our|his|her),
            who (i|we|you|he|she|they|my|our|his|her), which (i|we|you|he|she|they|my|our|his|her), how
            (i|we|you|he|she|they|my|our|his|her), whatever, whichever, whenever, wherever"""
    ),
    negations=phrases(
        """not, dont, do not, doesnt, didnt, isnt, arent, wasnt, werent, wont, wouldnt, cant, cannot, couldnt, shouldnt,
            havent, hasnt, hadnt, aint, neednt, mustnt, never, nothing, nobody, none, neither, nor, nowhere, unable,
            hate, refuse, against, deny, bad, worse, terrible, awful, horrible, fake, false, useless, disagree, dislike,
            ignore, avoid, less"""
    ),
    halts=phrases(
        """stop, cancel, abort, quit, end, delete, halt, revoke, reject, drop, dismiss, terminate, call off, shut up,
            close"""
    ),
    alters=phrases(
        """change, changed, changing, modify, adjust, switch, replace, add, adding, remove, omit, exclude, undo, redo,
            skip, swap, move, edit, update, instead"""
    ),
    yes=phrases(
        """yes, yess, yeah, yeahh, yeh, yea, yep, yup, yupp, yas, why yes, oh yes, yes yes yes, heck yes, hell yes,
            (hell|heck|damn|oh|god) (yeah|yes|yep), clearly, evidently, unquestionably, indubitably, assuredly, very
            much, most certainly, most definitely, very much so, without question, for certain, bingo, amen, affirm,
            yah, ya, yews, aye, yes yes, yessir, yes sir, yes maam, yes indeed, affirmative, absolutely, definitely,
            certainly, of course, ofcourse, totally, by all means, for sure, sure, sure thing, surely, indeed, why of
            course, you bet, thats a yes, that is a yes, okey dokey, okie dokie, my pleasure, with pleasure, gladly,
            righto, right you are, aye aye, you betcha, yessiree, naturally, obviously, undoubtedly, without fail,
            positively, okey doke, okie doke, as you wish, yup yup, yep yep, yeah yeah, yesss, yessss, yaas, yass,
            yeahhh, yesssir"""
    ),
    clauses=phrases(
        """why not, sure why not, yes why not, and why not, (i|we) (do|would|sure do|certainly do|certainly would|really
            do|do indeed|would indeed|can confirm), i am, i am indeed, we are, (it|that|this) (is|does|would), that it
            is, it is so, that is so, (they|those|these) (are|do), you (can|may|should), you (can|may|should) (do|have)
            (so|it|that|this), (i|we) (would|do) (really |)(like|love|want|need|appreciate)
            (to|it|that|this|them|those), (id|wed) (really |)(like|love|appreciate) (to|it|that|this|them|those), (i|we)
            (want|need|love) (to|it|that|this|them|those), (i|we) like (it|that|this|them|those), (i|we) would (really
            |)be (happy|glad|delighted|thrilled|grateful|pleased| interested)( to|), (id|wed) be
            (happy|glad|delighted|thrilled|grateful|pleased|interested)( to|), (happy|glad| delighted) to, (i|we) was
            hoping (so|to|you would|for that), we were hoping (so|to|you would|for that), lets, let us, let us have
            (it|that|them), lets have (it|that|them), (well|we will|ill|i will) (take|have|go with|go for)
            (it|that|this|them|those|that one|this one), (i|we) could use (it|that), help me with (it|that|this), assist
            me, do please, yes do, may as well, might as well, (i|we) (might|may) as well, (i|id|i would|ill|i will)
            (say|vote) yes, (i|we) said yes, (the|my|our) answer is yes, (its|it is|thats|that is) a yes( from me| from
            us|), (i|we) consent, (you have|youve got) my (permission|approval|consent|blessing|okay|ok|go ahead),
            permission granted, (i |)give (you |)(my |)(permission|consent|approval), feel free( to|), feel free to (do
            so|do it|do that|proceed|go ahead), be my guest, consider it (done|confirmed|approved), (i |we
            |)(authorize|authorise|approve) (it|this|that), on you go, off you go, get going, get on with it, keep
            going, have at it, hit it, fire away, run with it, go with (it|that|this|that one|this one), green light,
            thumbs up, full steam ahead, take care of (it|that|this),
            (arrange|handle|submit|process|finalize|finalise|complete|execute) (it|that|this), sort it out, see to
            (it|that), get (it|that|this|them) (done|booked|sorted|arranged), (send|put|push) (it|that|this)
            (through|over), make the arrangements, lock it in, wrap it up, count us in, sign us up, put us down,
            (were|we are|im|i am) (in|down|game|on board|all for it|all in), on board, all for it, but of course, yes to
            (all|everything)( of it| of that| of them|), all of the above, you (nailed|understood) it, nailed it, bang
            on, on the money, you heard me, (looks|seems) (so|like it), so it (is|seems), please and thank you, if you
            would, like it, so be it, put (it|that|this|them) (on|in), sure (do|would|am|is|does)"""
    ),
    tepid=phrases("(thats|that is|its|it is) (okay|ok|alright|all right), (its|it is) fine"),
    searches=phrases(
        """find, finding, search, searching, look, looking, locate, browse, explore, compare, suggest, recommend,
            something, anything, someone, somebody, show, try, hold"""
    ),
    offers=phrases(
        """would you (like|want|prefer|care), do you (want|need|wish|require), did you want, (want|need) me to, should
            i, shall i, wanna, you want, can i, could i, may i, any more"""
    ),
    praised=phrases(
        """choice, idea, plan, thinking, job, work, call, option, selection, suggestion, stuff, news, offer, pick,
            decision, deal, solution"""
    ),
    judges=phrases("to me, to us, for me, for us, with me, with us, by me, by us, in my book"),
    wholes=phrases("everything, everythings, all, alls"),
    past=phrases("was, were, been, had, did"),
    tells_to=phrases(
        """please, just, do, (i|we) (do |)(want|need) (you |)to, (i|we) would (like|love) (you |)to, (id|wed)
            (like|love) (you |)to, lets, let us, you (can|may|should) (go ahead and |)(please |), go ahead and, im
            (looking|ready) to, i am (looking|ready) to, (were|we are) (looking|ready) to, help me( to|), kindly,
            (can|could|would|will) you (please|kindly), please (can|could|would|will) you, (could|would) you, (i|we)
            need you to, (i|we) (will|would) (appreciate|like) you to, (id|i would) (appreciate|like|love) (it
            |)(for|if) you (to|would|could)"""
    ),
    takes=phrases(
        """(i|we) (do |)(want|need), (i|we) would (like|love), (id|wed) (like|love), (well|we will|ill|i will)
            (take|have|go with|go for), let us (take|have|go with|go for), lets (take|have|go with|go for), give
            (me|us), get (me|us)"""
    ),
    themselves=phrases("ill, i will, i can, i could, i may, i might, i did, i have, ive, let me, gonna, going to"),
    performs=phrases("""make, do, get, set, put, grab, have, show"""),
    it=phrases("it, that, this, them, those, these"),
    unfinished=phrases(
        """a, an, the, and, or, but, for, at, of, from, with, my, your, our, his, their, because, until, if, than,
            about, by, so"""
    ),
    goes=phrases(
        """go ahead, go right ahead, do proceed, please continue, (finalize|finalise|finish|complete|submit|place|put
            in|put through|process) (it|that|this|the booking|the reservation|the order|the purchase|the request|the
            transaction|my order|my booking|my reservation), confirm (it|the booking|the reservation|the details|the
            order), i can confirm, i can confirm (it|that), i confirm (it|that|this), i do confirm, verified, affirmed,
            granted, i concur, concur, lets (book|reserve|play|buy|get|rent|schedule|start|watch) (it|that|this|them),
            lets roll, lets make it happen, count me in, sign me up, put me down, hook me up, lock it in, bring it on,
            pull the trigger, make that happen, get it done, get that done, get started, ready when you are, im ready, i
            am ready, lets hear it, lets see it, go on, go for it, carry on, please do, please proceed, proceed,
            continue, do it, do that, do so, please do so, do this, just do it, lets do (it|that|this), lets go(
            ahead|), lets go (for it|with it|with that|with this|with that one|with this one), make it so, make it
            happen, i confirm, i confirmed, confirmed, confirm, confirming, i approve, approved, approve, i accept,
            accepted, accept, i agree, agreed, authorized, i authorize( it|), go ahead with (it|that), try that, try it,
            give (it|that) a (try|go|whirl|shot), you got it, you('ve | have |)got (it|that) (right|correct|all right),
            you got it all, lets make a move, set (it|that) up, lets set that up, please go ahead, i confirm (all
            that|that all|it all|all), confirm (all|that all|all that), i (do|fully|totally|completely) agree"""
    ),
    agree=phrases(
        """(sounds|seems|looks|is|be|feels) (about right|okay|ok|alright|all right|fair|fun|delicious|well), about
            right, just right, sounds like a (winner|good deal|great deal), much appreciated, be appreciated,
            (thats|that is|its|it is|this is) all (correct|right|accurate|true|fine|perfect|in order), do nicely, would
            do, should do it, ought to do it, (it is|its|thats|that is|this is) (exactly |just |precisely |)what (i|we)
            (want|wanted|need|needed|asked for|said|ordered|like|would like|meant|had in mind|was looking for)( to do|),
            (it is|its|thats|that is|this is) (exactly |just |precisely |)what (im|i am|were|we are) (looking
            for|after), should be (good|fine|okay|ok|great|perfect|alright|all right|right|correct|all), still
            (works|good|fine), more than (happy|fine|okay|good), thats better, that is better, much better, even better,
            sounds better, in order, checks out, the plan, the idea, the right one, meets my needs, suits my needs, fits
            my (schedule|needs|budget), works with my schedule, what i (have|had) in mind, what i was (thinking|thinking
            of|hoping for), what id like, what i would like( to do|), what im looking for, you understood
            (correctly|right|it|me), you heard right, good job, well done, a go, a plan, hits the spot, absolutely
            perfect, outstanding, exceptional, stellar, swell, neat, sweet, delightful, pleasant, convenient,
            appropriate, reasonable, proper, adequate, sufficient, grand, dandy, phenomenal, magnificent, incredible,
            impressive, exciting, excited, thrilled, good enough, fair enough, good to go, (were|we are) good to go,
            content with (it|that|this), pleased with (it|that|this), do nicely, (will|itll|thatll) do, certain, very
            well, thats (alright|all right|ok|okay), that is (alright|all right|ok|okay), (alright|okay|ok|all right)
            (for|with|by) me, (is|its|it is) (okay|ok|alright), agreeable, doable, satisfied, comfortable, right on,
            good idea, great idea, good choice, great choice, sounds like a (plan|good plan|great plan|good idea|great
            idea), a deal, done deal, you heard me right, that covers it, that does it, works out, i would like
            (that|this) very much, (id|i would|i) appreciate (it|that), ill (go with|go for|have|do) (it|that|this), im
            interested, i am interested, (im|i am|were|we are)
            (good|fine|okay|ok|happy|cool|satisfied|comfortable|content|pleased) with( it| that| this| everything| the
            details|), good by me, 100 percent, hundred percent, it does, positive, fine, good, great, perfect,
            perfectly, excellent, wonderful, fantastic, awesome, amazing, terrific, splendid, brilliant, super, superb,
            lovely, cool, beautiful, fabulous, ideal, flawless, marvelous, marvellous, correct, correctly, that is
            right, thats right, exact, exactly, exactly right, (all|is|be|sounds|seems|looks|got that|quite) right,
            precisely, accurate, true, works, suits, suits well, suitable, works for me, work out, works out, will
            do, thatll do, that will do, that will have to do, thats it, that is it, thats that, thats the one, that is
            the one, the one i want, acceptable, satisfactory, on point, spot on, so do i, fits, happy with
            (it|that|this), okay with (it|that|this|me), my order, love it, the deal, deal, thats what i
            (want|wanted|need|needed|said|asked for|meant), what i (want|wanted|need|needed|asked for|said|ordered)( to
            do|), what im (looking for|after), what i was looking for, as you (say|said), please book it, all
            (good|correct|right|fine), still good,
            (good|great|fine|okay|ok|perfect|right|nice|correct|excellent|wonderful|lovely) (to|with|by|for) me, ill
            take (it|that|them|this), i can take (it|that), im sure, i am sure, got it right, youre right, you are
            right, ten four, 10 4, jolly good, dope, rad, groovy, solid, fab, ace, top notch, great stuff, good stuff,
            good deal, good call, nice one, smashing, lovely jubbly, very nice, very good, the correct one, works great,
            works perfectly, works well, suits me, (im|i am|were|we are) (free|available) (then|at that time|on that
            day|that day), (that|it|this|they|those|these|which|) (will|would|should|could|does|did)
            ( also| still| definitely| totally|) (work|work out|suit), (thatll|thatd|itll|itd|theyll|thisll) (work|work
            out|suit),
            (they|those|these|both|all|dates|times|days|flights|seats) work, (thats|that is|its|it is) (going to |)work,
            what (id|wed) like( to do|), (thats|that is) what (id|wed) like( to do|), (thatll|that will|this will|itll
            |it will) do it, (be|is|sounds|sound|seems|looks|look|thats|that|very|how) nice, (thats |that is |)what we
            (talked about|discussed|agreed|agreed on)"""
    ),
    acknowledges=phrases(
        """okay, ok, okk, k, okey, okie, alright, all right, allright, right, got it, roger, roger that, copy that,
            understood, ten four, okkk, okayy"""
    ),
    closings=phrases(
        """thats all, that is all, thatll be all, that will be all, that would be all, thatd be all, thats everything,
            that is everything, thats all (i need|i needed|i wanted|for now|for today|the help i need|i want), that is
            all (i need|i needed|i wanted|for now|for today|the help i need|i want), that will be all (i need|for now),
            thatll be all (i need|for now), thatll be everything, that will be everything, all i need(|ed), all i
            want(|ed), thats it for (me|now|today), bye, goodbye, bye bye, good bye, have a (good|great|nice)
            (day|one|evening), all set, i just wanted (the|some) info(|rmation), nothing else, nothing more,
            (thanks|thank you) thats it, (thats|that is) (all |)(the |)(info|information) i (need|needed|wanted)"""
    ),
    fillers=phrases(
        """by the way, appreciate it, much appreciated, i appreciate (it|that|your help), (thanks|thank you) for (your
            help|the help|that|all your help|helping|asking|checking|your assistance), youre (awesome|great|the
            best|amazing|a lifesaver), you rock, very helpful, that helps, at once, at that time, on that day, that day,
            google, alexa, siri, assistant, a lot, a bunch, truly, certainly, specifically, dude, bro, my friend, uh,
            um, umm, uhm, er, erm, hm, hmm, ah, oh, eh, well, so, like, just, please, pls, thanks, thank you, thanks a
            lot, thanks a bunch, thanks so much, thank you (so|very) much, many thanks, thanks again, ta, cheers, you
            know, hey, hi, hello, good (morning|afternoon|evening|day), right now, right away, immediately, now, then,
            here, for me, for us, with me, by me, as well, too, also, really, very, quite, pretty, so far, kindly, uh
            huh, uhhuh, mm hmm, mhm, mm, mmhmm, hon, dear, sir, maam, madam, man, mate, buddy, friend, finally, if
            (possible|you can|you could|you please|you would|you dont mind|you like|you will|you want), when you can,
            whenever youre ready, honestly, basically, simply, oh wise one, no worries, no rush, no hurry, i see, lets
            see, let me see, wow, yay, whoa, ooh, aha, haha, alrighty, interesting, nice, (oh|ah)
            (okay|ok|right|alright|i see), (okay|ok|right|alright) i see, pleas, plz, (thanks|thank you) (so much |)for
            (double checking|verifying|confirming|everything|repeating that|doing that|doing this|doing it)"""
    ),
    tells=phrases(
        """tell me, let me know, give me (the|its|their|his|her|more|some|an idea), give us the, i need to know, id like
            to know, i would like to know, i want to know, i also (need|want) to know, like to know, want to know, need
            to know, curious, wondering, wonder, i wonder, find out, say me, inform me, check (if|whether), do you
            (know|have|happen), i forgot, i need (the|their|its|his|her|your), i want (the|their|its|his|her)
            (phone|address|number|contact|price|cost|rating), can i (get|have|know|see)
            (the|their|its|his|her|your|more|some|a|an), could i (get|have|know|see)
            (the|their|its|his|her|your|more|some|a|an), may i (get|have|know|see)
            (the|their|its|his|her|your|more|some|a|an), share (the|their|its), see if (they|there|you), remind me
            (what|where|when|how|who|which|of|the)"""
    ),
    asks=phrases(
        """what, whats, wat, whatre, where, wheres, when, whens, who, whos, whose, whom, which, how, hows, why, whys,
            how much, how many, how long, how long until, how long till, how long before, what kind of, what sort of,
            what bus stop, which bus stop, what time, any idea, any (chance|word|info|information|details), at what, on
            what, in what, to what, for what, from what, of what, and what, with what, whether"""
    ),
    inversions=phrases(
        """is everything, is all, are all, is anything, is something, is nothing, is it, is that, is this, is the, is
            there, is their, is he, is she, is my, is your, is any, are there, are they, are you, are we, are the, are
            these, are those, are i, am i, was it, was there, were there, does it, does that, does this, does the, does
            she, does he, does there, do they, do you, do we, do i, did you, did they, did it, did i, did we, has it,
            has the, have you, have they, had you, will it, will they, will there, will the, will i, will we, will that,
            will this, would it, would that, would this, would they, would there, would the, could it, could that, could
            we, could i, can i, can it, can we, can they, can the, may i, may we, shall i, shall we, should i, should
            we, should it, must i, must we, might i, does anyone"""
    ),
    requests=phrases("can you, could you, would you, will you, please, kindly"),
    fetches=phrases(
        """give, get, grab, send, provide, share, show, find, have, need, want, like, know, say, see, let, tell, forgot,
            check, look, list"""
    ),
    facts=phrases(
        """address, phone, number, contact, price, cost, total, rating, ratings, review, reviews, genre, location,
            distance, duration, length, venue, name, names, website, hours, details, category, album, artist, director,
            directors, actors, cast, year, weather, forecast, stop, bus stop, terminal, airport, station, fare, fee,
            fees, bill, estimate, level, type, date, time, amount"""
    ),
    kinds={
        "day": phrases(
            """monday, tuesday, wednesday, thursday, friday, saturday, sunday, mondays, tuesdays, wednesdays, thursdays,
                fridays, saturdays, sundays, mon, tue, tues, wed, thu, thur, thurs, fri, sat, january, february, march,
                april, may, june, july, august, september, october, november, december, jan, feb, mar, apr, jun, jul,
                aug, sep, sept, oct, nov, dec, today, tomorrow, tonight, yesterday, the day after tomorrow, day after
                tomorrow, weekend, next week, this week, christmas, easter, next
                (monday|tuesday|wednesday|thursday|friday|saturday|sunday)"""
        ),
        "time": phrases(
            """noon, midday, midnight, morning, afternoon, evening, quarter past, quarter to, half past, earlier,
                sooner, lunchtime, dinnertime, breakfast time"""
        ),
        "number": phrases(
            """half, dozen, couple, a couple of, several, double, twice, hundred, thousand, million, single, pair,
                alone, (just|only) (for |)(me|us), (for |)me and (my|our|a|one|two|three|four|five|six|another), and
                (me|myself), solo, (for|just|only|one|with) myself"""
        ),
        "device": phrases(
            """tv, t v, television, telly, kitchen, bedroom, bathroom, living room, dining room, garage, basement,
                patio, speaker, speakers, headphones, display, device, devices, anywhere, laptop, tablet, stereo"""
        ),
        "name": phrases("to me, to us, to him, to her, to them"),
        "extra": phrases(
            """subtitles, subtitle, captions, caption, dubbed, economy, economy class, business class, first class,
                premium, premium economy, luxury, standard, regular, pool, shared, private, indoor, outdoor, window
                seat, aisle seat, vegetarian, vegan, flexible, nonstop, non stop, round trip, one way, oneway, smoking,
                non smoking, takeaway, checking account, savings account, savings"""
        ),
    },
    things=phrases(
        """movie, movies, film, song, songs, track, music, tune, album, ticket, tickets, seat, seats, table, tables,
            reservation, reservations, booking, bookings, appointment, appointments, room, rooms, hotel, house,
            property, apartment, home, car, cab, taxi, ride, vehicle, bus, flight, train, event, events, show, game,
            concert, restaurant, place, salon, order, payment, transfer, purchase, visit, trip, stay, rental, meeting,
            call, plan, video"""
    ),
    matters=phrases(
        """booking, bookings, reservation, reservations, appointment, order, request, purchase, transaction,
            arrangement, arrangements, slot"""
    ),
    deeds=phrases(
        """book, reserve, buy, purchase, schedule, play, watch, rent, order, get, start, begin, arrange, listen, hear,
            hire, take, plan, see, visit, attend, travel, stay, pay, transfer, send, call, stream, cast, wire, launch,
            secure, booked, reserved, scheduled, purchased, arranged, ordered"""
    ),
    read_backs=phrases(
        "confirm, confirming, confirmation, correct, right, details, verify, check, clear, sure, proper, work, suit"
    ),
    units=phrases(
        """people, person, persons, persons, guests, adults, kids, children, days, day, nights, night, weeks, week,
            months, month, years, hours, hour, minutes, minute, dollars, dollar, bucks, buck, euros, euro, pounds,
            pound, cents, percent, oclock"""
    ),
    clock=phrases("am, pm, a, p, oclock, o, hours"),
    day_halves={"am": "am", "a": "am", "pm": "pm", "p": "pm"},
    plain=phrases(
        """i, me, my, mine, you, your, we, us, our, it, its, that, thats, this, these, those, them, the, a, an, to, of,
            for, in, on, at, with, by, from, and, as, is, are, am, be, been, was, were, will, would, shall, should, can,
            could, must, do, does, did, done, have, has, had, want, wants, wanted, wanna, love, hereby, nicely, quickly,
            quick, hurry, again, help me, help us, help me (in|with), help with, help me with (it|that|this), assist me,
            assist us, assist me (in|with), the (transaction|process|procedure|task|request), i trust you, (your|the)
            (assistance|help), on my behalf, need, needed, needs, like, liked, id, ill, im, ive, youre, youve, youll,
            theres, lets, let, go, going, gonna, get, got, make, made, making, thatll, thatd, itll, itd, sound, sounds,
            seem, seems, look, looks, looking, feels, much, so much, totally, fully, completely, the one, that one, this
            one, those ones, these ones, which is, because, since, there, some, any, make sure, happy, glad, pleased,
            ready, i (think|believe) (that|it|this|thats|its|they|those|these), started, details, info, information,
            request, wish, wished, require, required, the details, forward, further, just, at all, looking forward to
            (it|that|this), looking forward, as (discussed|mentioned|requested|i said|stated|i requested|per my
            request|described), interested, interested in (it|that|this), thanks for confirming, i said yes, asap, as
            soon as possible, you can, you may, can you, could you, would you, will you, can you please, could you
            please, that all, this all, it all, all of (that|this|it), all the details, everything
            (is|looks|sounds|was), confirm all, confirm that all, which (works|sounds|is|suits), on it, with it, turn
            (it|that|this) on, turn on, start (it|that|this) up, fire (it|that|this) up, crank (it|that|this) up, her,
            him, she, he, they, may as well, (see|talk to|speak to) you soon, on all counts, (on|at) (my|our) end, i
            already (said|told you) yes, as soon as (you can|they can), (will|can|could|would) do (it|that|this), via,
            through, around, starting, their, try to, check (in|out), checking (in|out|into), check into, check (in|out)
            date, include, including, toggle, enable, use, group, (my|our|the|in my|in our|in the) group, and out, (the
            |)number of (people|guests|persons|tickets|seats|rooms|passengers), only need, theyre, (like|as) you said, i
            (did |)say (that|it|so), i said (that|it|so), i (think|believe) (everything|all), set up, (my|the)
            (checkin|checkout)"""
    ),
    pointers=phrases("this, that, these, those"),
    halted=phrases(
        """it, that, this, them, everything, all, all of it, please, now, right now, right there, there, immediately, at
            once, the whole thing, whole thing, no, dont, thanks, thank you"""
    ),
    without=phrases("without, no, with no, w o"),
    spans=phrases("until, till, before, after, from"),
    binders=phrases("from, to, at, for, on, in, out, under, by, until, till, between, into, with, of, before, after"),
    opposites=phrases("from (to|until|till), in out, before after"),
    time_leads=phrases("at, around, about, by, until"),
    articles=phrases("a, an, one, the, my, your, our"),
    ones=phrases("a, an"),
    months=phrases(
        """January, February, March, April, May, June, July, August, September, October, November, December"""
    ),
    of=phrases("of"),
    synonyms=phrases(
        """people person persons guests adults, dollars dollar bucks buck, book reserve reservation booking buy
            purchase get schedule arrange make order secure fix set rent appointment visit viewing tour take add grab
            hire obtain request place plan snag nab lock finalize finalise complete organize organise process, ticket
            tickets seat seats spot pass admission reservation, table reservation seating spot, appointment visit
            viewing tour meeting slot reservation, play start begin watch listen hear cast stream broadcast put view
            see show toss throw crank blast spin pop launch run, song music track tune album, movie film show video,
            transfer send pay wire, money funds amount cash transfer, hotel room house place rental accommodation
            apartment property home stay residence reservation, car vehicle ride cab taxi rental reservation, flight
            plane airline ticket trip, bus train trip travel ride ticket, pm afternoon evening night, am morning, add
            put insert enter schedule save note create record mark write pencil jot log, ticket tickets attend see go
            visit watch, event concert show game match festival, visit see attend go viewing tour check view, delete
            remove erase, delivery deliver"""
    ),
    rivals=(
        phrases("bus coach, train, flight plane, cab taxi, ferry boat"),
        phrases("movie film, song track tune, album, concert, game match, festival"),
        phrases("morning, afternoon, evening, night"),
    ),
    roles=(
        phrases("pick picked picking pickup collect, drop dropped dropping dropoff return"),
        phrases("leave leaving depart departure outbound, return inbound, arrive arriving arrival"),
        phrases("start begin, end finish"),
    ),
    signs={"$": "dollar", "€": "euro", "£": "pound", "%": "percent"},
    endings=phrases("ings, ing, ed, es, s, e, d"),
    number_joints=phrases("and, point"),
    ordinal_marks=phrases("st, nd, rd, th"),
    zeros=phrases("oh, o"),
    repeats={"double": 2, "triple": 3, "treble": 3},
    minus=phrases("minus, negative"),
    halves=phrases("and a half, and half, point five"),
    placers=phrases("number, option, choice, item"),
    last=phrases("last, the last, last one, the last one, final, bottom one"),
    both=phrases("both, both of (them|those|these), the two"),
    every=phrases(
        """all, all of (them|those|these|it), everything, every one, every one of them, each, each one, each of them,
            the lot"""
    ),
    none=phrases(
        """none, none of (them|those|these|the above|it), neither, neither of (them|those|these), nothing, not any, no
            one of them, not one, no thanks, no thank you"""
    ),
    apart_from=phrases(
        """except, except for, but not, not, apart from, besides, other than, without, minus, no, dont want, do not
            want, dont take, never, anything but"""
    ),
    corrections=phrases(
        """no, no wait, sorry, i mean, i meant, actually, rather, wait, instead, make that, correction, scratch that"""
    ),
    joins=phrases("and, plus, also, as well as, with, then"),
    either=phrases("or, either, versus"),
    leave_it=phrases(
        """whatever, whichever, anything, you (decide|choose|pick), your (choice|call|pick), up to you, its up to you,
            surprise me, doesnt matter, it doesnt matter, i dont care, dont care, no preference, i have no preference, i
            dont mind, just do, any of them, the cheapest, cheapest"""
    ),
    leads=phrases(
        """can you, could you, would you, will you, can i, could i, may i, i want to, i wanna, i would like to, id like
            to, id like, i would like, i want, i need to, i need, let me, can we, please, just, sorry"""
    ),
    commands={
        "repeat": phrases(
            """repeat, repeat (that|it|please|the question), say (that|it) again, (come |)again, pardon, pardon me,
                sorry what, what, what did you say, what was that, what was the question, excuse me, i (didnt|did not)
                (hear|catch|get) (that|you|it), i didnt hear (that|you), huh, one more time, once more, can you repeat(
                that| it|), could you repeat( that| it|), i missed that, say again"""
        ),
        "wait": phrases(
            """wait, wait wait, hold on, hang on, hold up, wait (up|a second|a sec|a minute|a moment|a bit), hold on
                (a|one) (second|sec|minute|moment), (just |)one (moment|second|sec|minute), (just |)a
                (moment|second|sec|minute), give me a (moment|second|sec|minute|bit), hang on a
                (second|sec|minute|moment), let me think, let me check, let me see, let me think about (it|that)"""
        ),
        "options": phrases(
            """options, the options, what are (my|the) (options|choices), what are they, what can i (say|choose|do),
                which (ones|options|options are there|ones are there), help, list (them|the options), what do i have,
                what is there, what choices"""
        ),
        "operator": phrases(
            """operator, an operator, agent, an agent, a human, human, representative, a representative, real person, a
                real person, talk to (someone|somebody|a person|a human|an agent|an operator|a real person|a
                representative), speak to (someone|somebody|a person|a human|an agent|an operator|a real person|a
                representative), speak with (someone|somebody|a person|a human|an agent|an operator|a real person|a
                representative), get me (a person|a human|an agent|an operator), customer service, transfer me, put me
                through to (someone|an operator|an agent)"""
        ),
        "never_mind": phrases(
            """never mind, nevermind, forget it, forget about it, forget that, never mind that, skip the question, skip
                this question"""
        ),
    },
    prompts={
        "go_ahead": "Shall I go ahead?",
        "no_input": "I did not hear you.",
        "no_match": "I did not understand that.",
        "say_yes_or_no": "Say yes or no, please.",
        "confirm_keys": "On the keypad press {yes} to go ahead or {no} to stop, please.",
        "option": "{number}: {label}.",
        "choose": "Tell me which of these, please.",
        "choose_several": "Tell me which of these, or several of them, please.",
        "say_option": "Say which of these, or its number, please.",
        "choice_keys": "Or press its number on the keypad, please.",
        "several_keys": "Or press their numbers and then the pound key, please.",
        "say_number": "Say the number by itself, please.",
        "say_digits": "Say the {count} digits, digit by digit, please.",
        "number_keys": "Or key it in and press the pound key, please.",
        "digits_keys": "Or key it in on the keypad, please.",
        "keys_only": "Do not say it aloud: key it in on the keypad, please.",
        "say_text": "Say it in your own words, please.",
        "at_least": "It must be at least {minimum}, please.",
        "at_most": "It must be at most {maximum}, please.",
        "between_bounds": "It must be from {minimum} to {maximum}, please.",
        "which": "{labels}: tell me which of these, please.",
        "read_back": "I heard: {value}.",
        "take_it": "Shall I take it like that?",
        "second_yes": "To be safe, once more: shall I really go ahead?",
        "tail": "What do you say?",
        "item": "{name}: {value}.",
        "true": "yes",
        "false": "no",
        "nothing": "nothing",
        "and": "{first} and {last}",
        "date": "{month} {day}",
    },
)
