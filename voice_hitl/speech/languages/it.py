"""Italian."""

from voice_hitl.speech.languages.pack import LanguagePack, phrases

ITALIAN = LanguagePack(
    code="it",
    decimal=",",
    elides=True,
    harmless=phrases(
        """nessun problema, non c'è problema, non c'è nessun problema, non c'è alcun problema, senza problemi, non è
            un problema, perché no, sì perché no, come no, non mi dispiace, non mi disturba, non mi dà fastidio, non
            ho nulla in contrario, non ho niente in contrario, niente in contrario, nulla in contrario, nessuna
            obiezione, non ho obiezioni, senza dubbio, senz'altro, nessun dubbio, non c'è dubbio, senza esitazione,
            nulla da cambiare, niente da cambiare, nessuna modifica, ci mancherebbe, non vedo perché no"""
    ),
    unsure=phrases(
        """sì o no, sì e no, non lo so, non so, boh, non saprei, non sono (sicuro|sicura|certo|certa), non
            (sicuro|sicura), forse, magari, può darsi, può essere, possibilmente, probabilmente, eventualmente,
            dipende, credo di sì, penso di sì, suppongo, immagino, vediamo, si vedrà, vedremo, ci devo pensare, ci
            penso, fammi pensare, mi faccia pensare, mi lasci pensare, lasciami pensare, nessuna idea, non ho idea,
            chissà, più o meno, dica sì, di sì, un sì, si può, si fa, si deve, si tratta, si potrebbe, non (ho
            sentito|ho capito|la sento|ti sento|capisco)"""
    ),
    no=phrases(
        """no, no no, no grazie, nono, macché, assolutamente no, assolutamente non, certo che no, certamente no, di
            certo no, ovviamente no, per niente, per nulla, niente affatto, neanche per sogno, mai, mai e poi mai, non
            ora, non adesso, ora no, adesso no, per ora no, al momento no, per il momento no, non ancora, non oggi,
            oggi no, meglio di no, meglio no, preferirei di no, preferisco di no, preferirei non, non voglio, non lo
            voglio, non la voglio, non mi serve, non serve, non è necessario, non occorre, non c'è bisogno, non ho
            bisogno, non mi interessa, non sono interessato, non sono interessata, non credo, non penso, non sono
            d'accordo, non è (corretto|giusto|esatto|vero|così|quello|quello che voglio), non va bene, sbagliato, è
            sbagliato, errato, falso, non farlo, non lo faccia, non lo fare, non fare così, lascia stare, lasci stare,
            lascia perdere, lasci perdere, lasciamo perdere, lasciamo stare, dimentica, dimenticalo, se ne dimentichi,
            forse più tardi, magari più tardi, magari dopo, un'altra volta, magari un'altra volta, sarà per un'altra
            volta, rifiuto, rifiutato, lo rifiuto, rifiutare, negativo, respinto, passo"""
    ),
    forbids=phrases("non, mai, per favore non"),
    holds=phrases(
        """aspetta, aspetti, aspettate, aspettare, un momento, un attimo, un attimino, attimo, un secondo, un minuto,
            un istante, piano, non così in fretta, dopo, più tardi, poi, tra poco, fra poco, in seguito, un'altra
            volta, pausa, attenda"""
    ),
    changes=phrases(
        """ma, però, tuttavia, invece, piuttosto, anzi, bensì, eppure, tranne, eccetto, salvo, al posto di, al posto,
            in realtà, veramente no, preferisco, preferirei, cambia, cambi, cambiare, cambiamo, cambio, correzione,
            correggere, correggi, corregga, altro, altra, altri, altre, un altro, un'altra, diverso, diversa,
            intendevo, volevo dire, voglio dire, errore, sbaglio, mi sono sbagliato, mi sono sbagliata, dovrebbe
            essere, deve essere, scusa, scusi, mi dispiace, ops, purtroppo, quasi, in parte, troppo, troppa, il
            contrario, al contrario, prima, nel frattempo, ripensandoci, ci ho ripensato, meglio, problema, peccato,
            nonostante, sebbene, anche se"""
    ),
    conditions=phrases(
        """se, a patto che, a condizione che, purché, a meno che, sempre che, solo se, soltanto se, nel caso, o,
            oppure, quando, appena, finché, fino, entro, più, meno, almeno, al massimo, solo, soltanto, dove, come
            quando"""
    ),
    negations=phrases(
        """non, niente, nulla, nessuno, nessun, nessuna, né, mai, neanche, nemmeno, neppure, male, brutto, brutta,
            cattivo, peggio, orribile, impossibile, contro, odio, vieto, vietato"""
    ),
    halts=phrases(
        """ferma, fermi, fermati, si fermi, fermare, stop, basta, annulla, annulli, annullare, annullamento,
            cancella, cancelli, cancellare, elimina, elimini, eliminare, termina, termini, terminare, chiudi, chiuda,
            chiudere, interrompi, interrompa, smetti, smetta"""
    ),
    alters=phrases(
        """modifica, modifichi, modificare, sostituisci, sostituisca, sostituire, aggiungi, aggiunga, aggiungere,
            togli, tolga, togliere, rimuovi, rimuova, rimuovere, sposta, sposti, spostare"""
    ),
    alone=phrases("si"),
    yes=phrases(
        """sì, sisì, sì sì, sì certo, sì grazie, sì per favore, certo, certo che sì, certamente, ma certo, sicuro,
            sicuramente, ovvio, ovviamente, naturalmente, assolutamente, assolutamente sì, esattamente sì, volentieri,
            con piacere, molto volentieri, eccome, di sicuro, affermativo, come no, ben volentieri, altroché, yes, si
            certo, si grazie, si per favore, si si, si va bene, si confermo, si esatto, si perfetto, si d'accordo"""
    ),
    clauses=phrases(
        """è così, lo è, sì lo è, lo voglio, la voglio, (prenotalo|prenotala|compralo|comprala|fallo), (lo|la)
            (prenoti|compri|faccia), (lo|la) (prendo|prendiamo), puoi farlo, può farlo, tutto
            (bene|giusto|corretto|perfetto), va tutto bene, è tutto (giusto|corretto)"""
    ),
    unfinished=phrases("il, un, una, uno, ma, per, di, del, della, al, alla, con, che, mio, mia"),
    goes=phrases(
        """vai, vada, vai avanti, vada avanti, avanti, vai pure, vada pure, procedi, proceda, procediamo, prosegui,
            prosegua, continua, continui, fallo, lo faccia, faccia, faccia pure, fai pure, fai così, faccia così,
            facciamo così, facciamolo, andiamo, confermo, lo confermo, glielo confermo, confermato, conferma,
            confermi, accetto, lo accetto, accettato, approvo, lo approvo, approvato, autorizzo, autorizzato, sono
            d'accordo, affare fatto, ci sto, provi, prova, proviamo, sono a favore"""
    ),
    agree=phrases(
        """va bene, va benissimo, va bene così, benissimo, molto bene, tutto bene, bene così, buono, ottimo,
            ottimamente, perfetto, perfettamente, eccellente, fantastico, magnifico, meraviglioso, splendido,
            stupendo, grande, super, ideale, giusto, è giusto, corretto, è corretto, tutto corretto, tutto giusto,
            esatto, esattamente, proprio così, è così, è vero, vero, appunto, precisamente, è quello, è quello che
            voglio, quello che (voglio|volevo|cerco), mi va bene, mi va, mi sta bene, per me va bene, mi piace, mi
            piacerebbe, mi sembra (bene|buono|perfetto|giusto|ottimo), sembra (buono|perfetto|giusto|ottimo), suona
            bene, sarebbe (perfetto|ottimo|bello|fantastico|ideale|bene), andrebbe bene, ha ragione, hai ragione,
            buona idea, ottima idea, ottima scelta, lo prendo, la prendo, li prendo, le prendo, soddisfatto,
            soddisfatta, apposto, a posto, è tutto corretto, funziona, bello"""
    ),
    acknowledges=phrases("okay, ok, d'accordo, capito, ho capito, ricevuto, intesi, inteso, aha, bene"),
    closings=phrases(
        """è tutto, questo è tutto, nient'altro, basta così, per ora è tutto, arrivederci, ciao, buona giornata,
            buona serata, a presto, ho finito, sono a posto così"""
    ),
    fillers=phrases(
        """favore, eh, ehm, uhm, mmm, hmm, ah, oh, beh, be', allora, dunque, quindi, insomma, ecco, dai, guardi,
            guarda, senta, senti, per favore, per piacere, per cortesia, cortesemente, grazie, grazie mille, tante
            grazie, molte grazie, la ringrazio, ti ringrazio, prego, salve, buongiorno, buonasera, pronto, signore,
            signora, signorina, ora, adesso, subito, immediatamente, qui, qua, lì, là, davvero, veramente, molto,
            anche, pure, semplicemente, per me, per noi, a me, con me, se possibile, se è possibile, se vuole, se
            vuoi, se può, se puoi, senza fretta, con calma, comunque, a proposito, amico, cara, caro"""
    ),
    tells=phrases(
        """dimmi, mi dica, mi dici, mi può dire, mi puoi dire, può dirmi, puoi dirmi, potrebbe dirmi, potresti dirmi,
            mi saprebbe dire, vorrei sapere, voglio sapere, mi piacerebbe sapere, devo sapere, sa, sai, mi chiedo,
            dammi, mi dia, mi dai, può darmi, potrebbe darmi, mostrami, mi mostri, avete, ha per caso"""
    ),
    asks=phrases(
        """che cosa, quale, quali, dov'è, quanto, quanta, quanti, quante, a che ora, di che, in che, qual è, quant'è,
            com'è, che ora, che tipo, cos'è, cosa (è|include|succede|costa|comprende), chi è, chi canta, dove si, dove
            sono, dove devo, come si, come posso, come mai, quando è, quando arriva, quando inizia"""
    ),
    inversions=phrases(
        """è il, è la, è un, è una, c'è, ci sono, sono i, sono le, posso, possiamo, devo, dobbiamo, si trova, costa,
            include, accettano, accetta, servono, serve, è possibile, è incluso, è inclusa"""
    ),
    requests=phrases("può, puoi, potrebbe, potresti, vuole, vuoi"),
    fetches=phrases(
        """dammi, dia, dare, darmi, bisogno, vorrei, voglio, serve, mandami, mandi, dimmi, dica, dirmi, sapere,
            avere, conoscere"""
    ),
    facts=phrases(
        """indirizzo, telefono, numero, prezzo, costo, tariffa, valutazione, recensioni, posizione, luogo, durata,
            orari, orario, genere, nome, sito, distanza, meteo, fermata, totale, contatto"""
    ),
    kinds={
        "day": phrases(
            """lunedì, martedì, mercoledì, giovedì, venerdì, sabato, domenica, gennaio, febbraio, marzo, aprile,
                maggio, giugno, luglio, agosto, settembre, ottobre, novembre, dicembre, oggi, domani, dopodomani,
                ieri, stasera, stanotte, fine settimana, weekend, la prossima settimana, la settimana prossima, questa
                settimana, natale, pasqua, domani mattina, domani sera"""
        ),
        "time": phrases(
            """mezzogiorno, mezzanotte, mattina, mattino, di mattina, pomeriggio, di pomeriggio, sera, di sera,
                notte, e mezza, e mezzo, e un quarto, meno un quarto, prima possibile, presto"""
        ),
        "number": phrases(
            """metà, dozzina, paio, un paio, parecchi, doppio, doppia, cento, mille, milione, da solo, da sola,
                singolo, singola"""
        ),
        "device": phrases(
            """tv, televisione, televisore, tele, cucina, camera da letto, soggiorno, salotto, sala da pranzo, bagno,
                garage, cantina, terrazza, altoparlante, altoparlanti, cassa, casse, cuffie, portatile, tablet,
                dispositivo"""
        ),
        "name": phrases("a lui, a lei, a loro, a noi, a me stesso"),
        "extra": phrases(
            """sottotitoli, sottotitolo, economica, business class, prima classe, seconda classe, premium, lusso,
                standard, privato, privata, condiviso, condivisa, interno, esterno, finestrino, corridoio,
                vegetariano, vegetariana, vegano, vegana, solo andata, andata e ritorno, fumatori, non fumatori, da
                asporto"""
        ),
    },
    things=phrases(
        """film, canzone, musica, brano, biglietto, biglietti, posto, posti, tavolo, tavoli, prenotazione,
            appuntamento, camera, stanza, hotel, albergo, casa, appartamento, auto, macchina, taxi, corsa, viaggio,
            autobus, volo, treno, evento, concerto, partita, ristorante, ordine, pagamento, bonifico, trasferimento,
            acquisto, visita, soggiorno, riunione, chiamata"""
    ),
    deeds=phrases(
        """prenotare, prenota, prenoti, comprare, compra, compri, acquistare, acquista, ordinare, ordina, ordini,
            riprodurre, riproduci, suonare, mettere, metti, metta, noleggiare, noleggia, prendere, prendi, prenda,
            avviare, avvia, inviare, invia, invii, mandare, manda, trasferire, trasferisci, pagare, paga, paghi,
            chiamare, chiama, fissare, fissa"""
    ),
    read_backs=phrases(
        """confermare, conferma, confermi, corretto, giusto, esatto, dettagli, verificare, verifichi, dati"""
    ),
    units=phrases(
        """persona, persone, adulti, bambini, giorno, giorni, notte, notti, settimana, settimane, mese, mesi, anno,
            anni, ora, ore, minuto, minuti, euro, dollaro, dollari, centesimi, per cento"""
    ),
    clock=phrases("ore, h"),
    plain=phrases(
        """io, tu, lui, lei, noi, voi, loro, mi, ti, ci, vi, lo, la, li, le, l', gli, ne, mio, mia, miei, mie, tuo,
            tua, suo, sua, nostro, nostra, il, i, un, una, un', uno, questo, questa, questi, queste, quello, quella,
            quelli, quelle, ciò, di, del, della, dei, delle, d', a, al, alla, alle, ai, da, dal, dalla, in, nel,
            nella, con, su, sul, sulla, per, tra, fra, e, ed, poiché, siccome, così come, è, sono, era, sarebbe, sarà,
            essere, sia, ho, ha, hai, abbiamo, avere, avrei, vorrei, voglio, vogliamo, vuole, desidero, desidera,
            bisogno, posso dire, può, puoi, potrebbe, potresti, deve, va, vado, andare, fare, fa, mi sembra, sembra,
            tutto, tutti i dati, i dati, i dettagli, dettagli, contento, contenta, felice, così, come detto, come
            concordato, come richiesto, tale e quale, questo qui, quello lì, che"""
    ),
    pointers=phrases("questo, questa, questi, queste, quel, quello, quella, quei"),
    halted=phrases("tutto, questo, quello, ora, adesso, subito, per favore, grazie, lo, la"),
    without=phrases("senza"),
    spans=phrases("fino, dopo, prima, dal, entro"),
    binders=phrases(
        """di, del, della, a, al, alla, alle, da, dal, dalla, in, nel, nella, per, con, su, sul, verso, fino, entro"""
    ),
    opposites=phrases("dal al, dalle alle, prima dopo"),
    time_leads=phrases("alle, all', verso, dalle"),
    day_leads=phrases("il"),
    articles=phrases("il, lo, la, i, gli, le, l', un, una, uno, mio, mia, suo, sua, tuo, tua"),
    ones=phrases("un, una, uno, un'"),
    months=phrases(
        """gennaio, febbraio, marzo, aprile, maggio, giugno, luglio, agosto, settembre, ottobre, novembre, dicembre"""
    ),
    synonyms=phrases(
        """prenotare prenota prenoti prenotazione comprare compra compri acquistare acquista ordinare ordina
            appuntamento fissare fissa, biglietto biglietti posto posti, film video, canzone musica brano, riprodurre
            riproduci suonare mettere metti metta avviare ascoltare guardare, inviare invia invii mandare manda
            trasferire trasferisci bonifico pagare, camera stanza hotel albergo alloggio, auto macchina taxi"""
    ),
    rivals=(phrases("autobus bus pullman, treno, volo aereo, taxi"),),
    signs={"$": "dollari", "€": "euro", "£": "sterline", "%": "percento"},
    endings=phrases("azioni, azione, ando, endo, are, ere, ire, i, e, o, a"),
    number_joints=phrases("e, virgola"),
    ordinal_marks=phrases("o, a"),
    repeats={"doppio": 2, "triplo": 3},
    minus=phrases("meno"),
    halves=phrases("e mezzo, e mezza"),
    placers=phrases("numero, opzione, scelta"),
    last=phrases("ultimo, ultima, l'ultimo, l'ultima"),
    both=phrases("entrambi, entrambe, tutti e due, tutte e due, ambedue, tutt'e due"),
    every=phrases("tutti, tutte, tutto, tutti quanti, tutte quante, tutti e tre, tutte e tre, ognuno, ciascuno"),
    none=phrases(
        """nessuno, nessuna, nessuno dei due, nessuna delle due, nessuno di questi, nessuna di queste, né l'uno né
            l'altro, niente, niente di questo, nulla"""
    ),
    apart_from=phrases("tranne, eccetto, salvo, non, senza, a parte, tutto tranne, ma non, meno"),
    corrections=phrases(
        """no, scusa, scusi, voglio dire, volevo dire, anzi, intendevo, aspetta, aspetti, in realtà, correzione,
            piuttosto"""
    ),
    joins=phrases("e, ed, più, anche, inoltre, con, poi"),
    either=phrases("o, oppure, ovvero"),
    leave_it=phrases(
        """qualsiasi, qualunque, qualsiasi cosa, è uguale, per me è uguale, fa lo stesso, è lo stesso, per me è lo
            stesso, decida lei, decidi tu, scelga lei, scegli tu, come vuole, come vuoi, il più economico, la più
            economica, il meno caro, quello che costa meno, non importa quale, non mi importa, nessuna preferenza, mi
            sorprenda"""
    ),
    leads=phrases(
        """può, puoi, potrebbe, potresti, mi può, mi puoi, vorrei, voglio, mi piacerebbe, posso, ho bisogno di,
            desidero"""
    ),
    commands={
        "repeat": phrases(
            """ripeti, ripeta, ripetere, può ripetere, ripeti la domanda, ripeta la domanda, ripetere la domanda, di
                nuovo, ancora una volta, un'altra volta la domanda, come, come ha detto, come hai detto, cosa, che
                cosa, cosa ha detto, cosa hai detto, qual era la domanda, scusi, prego, non ho (sentito|capito), non
                la ho sentita, non l'ho sentita, eh"""
        ),
        "wait": phrases(
            """aspetta, aspetti, aspetta un attimo, aspetti un attimo, aspetta un momento, aspetti un momento, un
                momento, un attimo, un attimino, un secondo, un minuto, attenda, fammi pensare, mi faccia pensare, mi
                lasci pensare, lasciami pensare"""
        ),
        "options": phrases(
            """opzioni, le opzioni, quali sono le opzioni, quali sono le mie opzioni, che opzioni ho, che opzioni ci
                sono, quali opzioni ho, cosa posso dire, cosa posso scegliere, quali sono, le scelte, aiuto"""
        ),
        "operator": phrases(
            """operatore, operatrice, un operatore, un'operatrice, agente, un agente, una persona, un umano, un
                essere umano, una persona vera, rappresentante, parlare con (qualcuno|una persona|un operatore|un
                agente|un umano), servizio clienti, assistenza clienti, mi passi qualcuno, mi passi un operatore"""
        ),
        "never_mind": phrases(
            """lascia stare, lasci stare, lascia perdere, lasci perdere, non importa, non fa niente, fa niente, salta
                la domanda, saltare la domanda"""
        ),
    },
    prompts={
        "go_ahead": "Vuole che lo faccia io?",
        "no_input": "Non l'ho sentita.",
        "no_match": "Non ho capito questo.",
        "say_yes_or_no": "Dica sì o no, per favore.",
        "confirm_keys": "O prema {yes} per sì e {no} per no, per favore.",
        "option": "{number}: {label}.",
        "choose": "Mi dica quale, per favore.",
        "choose_several": "Mi dica quali, per favore.",
        "say_option": "Dica quale, o il suo numero, per favore.",
        "choice_keys": "O prema il suo numero sulla tastiera, per favore.",
        "several_keys": "O prema i loro numeri e poi cancelletto, per favore.",
        "say_number": "Dica solo il numero, per favore.",
        "say_digits": "Dica le {count} cifre, cifra per cifra, per favore.",
        "number_keys": "O lo digiti e prema cancelletto, per favore.",
        "digits_keys": "O lo digiti sulla tastiera, per favore.",
        "keys_only": "Non lo dica ad alta voce: lo digiti sulla tastiera, per favore.",
        "say_text": "Lo dica con parole sue, per favore.",
        "at_least": "Deve essere almeno {minimum}, per favore.",
        "at_most": "Deve essere al massimo {maximum}, per favore.",
        "between_bounds": "Deve essere da {minimum} a {maximum}, per favore.",
        "which": "{labels}: mi dica quale, per favore.",
        "read_back": "Ho sentito: {value}.",
        "take_it": "Lo annoto in questo modo?",
        "second_yes": "Per sicurezza, ancora una volta: vuole davvero che lo faccia io?",
        "tail": "Che cosa mi dice?",
        "item": "{name}: {value}.",
        "true": "sì",
        "false": "no",
        "nothing": "niente",
        "and": "{first} e {last}",
        "date": "il {day} {month}",
    },
)
